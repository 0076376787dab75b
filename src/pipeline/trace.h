#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "p2mpp/device_span.h"

namespace p2mpp {

/// What happened when, as a Chrome trace (JSON; https://ui.perfetto.dev and chrome://tracing open it). Costs nothing
/// where no file is named. Several threads may add to it; each gets rows of its own ("read", "read 2").
class Trace {
 public:
  using Clock = std::chrono::steady_clock;

  /// Time 0 is now. An empty file name switches everything off. Throws Error if the file cannot be written later.
  explicit Trace(std::filesystem::path file = {});

  [[nodiscard]] bool on() const { return !file_.empty(); }

  /// Something that took from `begin` to `end`, shown in the row `track`; `detail` is shown with it (a sample's id).
  void add(std::string_view track, std::string_view name, Clock::time_point begin, Clock::time_point end,
           std::string_view detail);

  /// The parts of one computation one after the other from `begin`, in their order, in a row of their own.
  void add_parts(Clock::time_point begin, const PartTimes& times, std::string_view detail);

  /// What a device did, in rows for its copies each way, its kernels, and the kernels beside those.
  void add_device_spans(std::span<const DeviceSpan> spans, std::string_view detail);

  /// Writes the file, whole or not at all. Throws Error naming it.
  void write() const;

 private:
  struct Track {
    std::string name;
    std::thread::id thread;
  };
  struct Event {
    std::size_t track;
    std::string name;
    double begin_us;
    double duration_us;
    std::string detail;
    int kernels = 0;  // 0: not said
  };

  std::size_t track_index(std::string_view name);  // of the calling thread

  std::filesystem::path file_;
  Clock::time_point start_;
  mutable std::mutex mutex_;  // of what follows
  std::vector<Track> tracks_;
  std::vector<Event> events_;
};

/// A named range in the timeline of NVIDIA's profilers (NVTX) that lasts as long as this object. Where p2mpp was built
/// without a CUDA toolkit, or no profiler is attached, it costs next to nothing. Ranges may overlap.
class ProfilerRange {
 public:
  explicit ProfilerRange(const std::string& name);
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
  ~ProfilerRange();

 private:
  std::uint64_t id_ = 0;
};

/// A stretch of time that starts now. finish() gives its milliseconds and enters it into the trace.
class Span {
 public:
  Span(Trace& trace, std::string_view name, std::string_view detail)
      : trace_(trace), name_(name), detail_(detail), range_(std::string(name)), begin_(Trace::Clock::now()) {}

  double finish() {
    const Trace::Clock::time_point end = Trace::Clock::now();
    trace_.add(name_, name_, begin_, end, detail_);
    return std::chrono::duration<double, std::milli>(end - begin_).count();
  }

  [[nodiscard]] Trace::Clock::time_point begin() const { return begin_; }

 private:
  Trace& trace_;
  std::string_view name_;
  std::string_view detail_;
  ProfilerRange range_;
  Trace::Clock::time_point begin_;
};

}  // namespace p2mpp
