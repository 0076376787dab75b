#pragma once

#include <c10/core/Event.h>

#include <chrono>
#include <utility>
#include <vector>

#include "p2mpp/reconstruction.h"

namespace p2mpp::torchscript {

/// Divides the work on a device into parts. On a CUDA device a mark is an event in the stream: nothing waits for it
/// until finish(). On a CPU it is a look at the clock.
class PartTimer {
 public:
  explicit PartTimer(c10::Device device);

  /// What has been queued since the construction or the last mark belongs to this part.
  void mark(Part part);

  /// Waits for the device and adds the milliseconds of all marks to `times`.
  void finish(PartTimes& times);

 private:
  using Clock = std::chrono::steady_clock;

  void record();

  c10::Device device_;
  std::vector<Part> parts_;
  std::vector<Clock::time_point> times_;  // CPU: one more than parts_
  std::vector<c10::Event> events_;        // CUDA: one more than parts_
};

}  // namespace p2mpp::torchscript
