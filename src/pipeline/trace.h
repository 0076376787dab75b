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

#include "base/clock.h"
#include "p2mpp/device_span.h"

namespace p2mpp {

/// Records a timeline as a Chrome trace (JSON; opens in https://ui.perfetto.dev and chrome://tracing). Does nothing if
/// no file is named. Thread-safe; each thread gets its own rows ("read", "read 2").
class Trace {
 public:
  /// Starts the clock. An empty file name disables the trace. Throws Error if the file cannot be written.
  explicit Trace(std::filesystem::path file = {});

  [[nodiscard]] bool on() const { return !file_.empty(); }

  /// Adds an event to the row `track`. `detail`, such as a sample's id, is shown with it.
  void add(std::string_view track, std::string_view name, Clock::time_point begin, Clock::time_point end,
           std::string_view detail);

  /// Adds the parts of one computation, one after the other from `begin`, in a row of their own.
  void add_parts(Clock::time_point begin, const PartTimes& times, std::string_view detail);

  /// Adds a device's work, in rows for copies in, copies out, kernels, and kernels that run concurrently with those.
  void add_device_spans(std::span<const DeviceSpan> spans, std::string_view detail);

  /// Writes the file atomically. Throws Error naming it if that fails.
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
    int kernels = 0;  // 0: unknown
  };

  std::size_t track_index(std::string_view name);  // for the calling thread

  std::filesystem::path file_;
  Clock::time_point start_;
  mutable std::mutex mutex_;  // guards the members below
  std::vector<Track> tracks_;
  std::vector<Event> events_;
};

/// A named range in the timeline of NVIDIA's profilers (NVTX) that lasts as long as this object. It costs next to
/// nothing if p2mpp was built without a CUDA toolkit or no profiler is attached. Ranges may overlap.
class ProfilerRange {
 public:
  explicit ProfilerRange(const std::string& name);
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
  ~ProfilerRange();

 private:
  std::uint64_t id_ = 0;
};

/// A time span that starts at construction. finish() returns its milliseconds and adds it to the trace.
class Span {
 public:
  Span(Trace& trace, std::string_view name, std::string_view detail)
      : trace_(trace), name_(name), detail_(detail), range_(std::string(name)), begin_(Clock::now()) {}

  double finish() {
    const Clock::time_point end = Clock::now();
    trace_.add(name_, name_, begin_, end, detail_);
    return std::chrono::duration<double, std::milli>(end - begin_).count();
  }

  [[nodiscard]] Clock::time_point begin() const { return begin_; }

 private:
  Trace& trace_;
  std::string_view name_;
  std::string_view detail_;
  ProfilerRange range_;
  Clock::time_point begin_;
};

}  // namespace p2mpp
