#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <functional>

#include "backends/cuda/device_runtime.h"

namespace p2mpp::emulation {

inline constexpr std::size_t kMaxSharedBytes = 227 * 1024;  ///< of a block, on an H100
inline constexpr int kMultiprocessors = 64;
inline constexpr int kInvalidLaunch = 9;            ///< cudaErrorInvalidConfiguration
inline constexpr int kTooLargeToRunTogether = 720;  ///< cudaErrorCooperativeLaunchTooLarge

/// When the work of streams is done, as far as what waits for what leaves that open. Work that should wait and does not
/// gives other results in another order.
enum class StreamOrder {
  kAtOnce,    ///< as soon as it is queued
  kLate,      ///< not before the host waits for it, and then nothing that it does not need
  kShuffled,  ///< at random
};
void set_stream_order(StreamOrder order);

/// What is queued in the streams: in order within one, and what waits after what it waits for.
class Schedule {
 public:
  using Step = std::function<void()>;

  void add(std::size_t stream, Step step);
  /// What is added to `waiting` from now on comes after what was added to `other` until now.
  void wait_for(std::size_t waiting, std::size_t other);

  /// Steps that a stream was ever given.
  [[nodiscard]] std::size_t added(std::size_t stream) const {
    return queues_[stream].done + queues_[stream].left.size();
  }
  [[nodiscard]] bool is_done() const;
  /// Whether what a stream does last comes after everything else.
  [[nodiscard]] bool ends_in(std::size_t stream) const;

  /// Does the first so many steps of a stream, what they wait for, and by the order that was set others, too.
  void run_until(std::size_t stream, std::size_t count);
  void run_all();
  /// What happens while the host goes on.
  void run_meanwhile(std::size_t stream);

 private:
  struct Entry {
    Step step;  // empty: waits until `other` has done `count` steps
    std::size_t other, count;
  };
  struct Queue {
    std::deque<Entry> left;
    std::size_t done = 0;
  };

  bool advance(std::size_t stream);

  std::array<Queue, kStreamCount> queues_;
};

/// A device's streams. While it records, what is queued is kept for later, as the capture of a CUDA graph does.
class Streams {
 public:
  void add(std::size_t stream, Schedule::Step step);
  /// Throws Error for a stream that is recorded and waits for one that is not: CUDA does not allow it.
  void wait_for(std::size_t waiting, std::size_t other);

  void begin_recording();
  /// Throws Error where a stream that was recorded along did not come back to the compute stream, as CUDA does.
  [[nodiscard]] Schedule end_recording();
  [[nodiscard]] bool records(std::size_t stream) const { return records_[stream]; }

  [[nodiscard]] Schedule& live() { return live_; }

 private:
  Schedule live_, recorded_;
  std::array<bool, kStreamCount> records_{};
};

/// What a DeviceStream of the emulation points to.
struct Stream {
  Streams* streams;
  std::size_t index;

  [[nodiscard]] static Stream& of(DeviceStream handle) { return *static_cast<Stream*>(handle); }
  void add(Schedule::Step step) const { streams->add(index, std::move(step)); }
};

}  // namespace p2mpp::emulation
