#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <functional>

#include "backends/cuda/device_runtime.h"

namespace p2mpp::emulation {

inline constexpr std::size_t kMaxSharedBytes = 227 * 1024;  ///< per block, on an H100
inline constexpr int kMultiprocessors = 64;
inline constexpr int kInvalidLaunch = 9;            ///< cudaErrorInvalidConfiguration
inline constexpr int kTooLargeToRunTogether = 720;  ///< cudaErrorCooperativeLaunchTooLarge

/// When queued work is executed, within the order that the waits between streams require. Work that lacks a wait gives
/// other results in another order.
enum class StreamOrder {
  kAtOnce,    ///< as soon as it is queued
  kLate,      ///< only when the host waits for it, and then only the work it depends on
  kShuffled,  ///< in random order
};
void set_stream_order(StreamOrder order);

/// The work queued in the streams. Steps of one stream run in order; waits order steps of different streams.
class Schedule {
 public:
  using Step = std::function<void()>;

  void add(std::size_t stream, Step step);
  /// Steps added to `waiting` from now on run after those added to `other` so far.
  void wait_for(std::size_t waiting, std::size_t other);

  /// Number of steps ever added to a stream.
  [[nodiscard]] std::size_t added(std::size_t stream) const {
    return queues_[stream].done + queues_[stream].left.size();
  }
  [[nodiscard]] bool is_done() const;
  /// Whether the last step of a stream depends on the last steps of all others.
  [[nodiscard]] bool ends_in(std::size_t stream) const;

  /// Runs the first `count` steps of a stream and the steps they depend on; depending on the stream order, others too.
  void run_until(std::size_t stream, std::size_t count);
  void run_all();
  /// Runs the work that the stream order executes while the host continues.
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

/// A device's streams. While recording, queued work is kept for later, as in the capture of a CUDA graph.
class Streams {
 public:
  void add(std::size_t stream, Schedule::Step step);
  /// Throws Error if a recorded stream waits for one that is not recorded, which CUDA does not allow.
  void wait_for(std::size_t waiting, std::size_t other);

  void begin_recording();
  /// Throws Error if a recorded stream was not joined with the compute stream, as CUDA does.
  [[nodiscard]] Schedule end_recording();
  [[nodiscard]] bool records(std::size_t stream) const { return records_[stream]; }

  [[nodiscard]] Schedule& live() { return live_; }

 private:
  Schedule live_, recorded_;
  std::array<bool, kStreamCount> records_{};
};

/// The target of the emulation's DeviceStream.
struct Stream {
  Streams* streams;
  std::size_t index;

  [[nodiscard]] static Stream& of(DeviceStream handle) { return *static_cast<Stream*>(handle); }
  void add(Schedule::Step step) const { streams->add(index, std::move(step)); }
};

}  // namespace p2mpp::emulation
