#pragma once

#include <c10/core/Event.h>

#include <chrono>
#include <utility>
#include <vector>

#include "p2mpp/reconstruction.h"

namespace p2mpp::torchscript {

/// Measures the time of each part of a pass. On a CUDA device each mark is an event in the stream, and only finish()
/// waits for the device. On a CPU each mark reads the clock.
class PartTimer {
 public:
  explicit PartTimer(c10::Device device);

  /// Assigns the work queued since the last mark, or since construction, to `part`.
  void mark(Part part);

  /// Waits for the device and adds the milliseconds of each part to `times`.
  void finish(PartTimes& times);

 private:
  using Clock = std::chrono::steady_clock;

  void record();

  c10::Device device_;
  std::vector<Part> parts_;
  std::vector<Clock::time_point> times_;  // one more than parts_; CPU only
  std::vector<c10::Event> events_;        // one more than parts_; CUDA only
};

}  // namespace p2mpp::torchscript
