#pragma once

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <chrono>
#include <vector>

#include "base/clock.h"
#include "p2mpp/reconstruction.h"

namespace p2mpp::torchscript {

/// Measures the time of each part of a pass. On a CUDA device each mark is an event in the stream, and only finish()
/// waits for the device. On a CPU each mark reads the clock.
class PartTimer {
 public:
  explicit PartTimer(c10::Device device) : device_(device) { record(); }

  /// Assigns the work queued since the last mark, or since construction, to `part`.
  void mark(Part part) {
    parts_.push_back(part);
    record();
  }

  /// Waits for the device and adds the milliseconds of each part to `times`.
  void finish(PartTimes& times) {
    if (!events_.empty()) events_.back().synchronize();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      times[parts_[i]] += device_.is_cpu()
                              ? std::chrono::duration<double, std::milli>(times_[i + 1] - times_[i]).count()
                              : events_[i].elapsedTime(events_[i + 1]);
    }
  }

 private:
  void record() {
    if (device_.is_cpu()) {
      times_.push_back(Clock::now());
      return;
    }
    // Only BACKEND_DEFAULT events record a time; PyTorch's default events do not.
    c10::Event& event = events_.emplace_back(device_.type(), c10::EventFlag::BACKEND_DEFAULT);
    event.record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
  }

  c10::Device device_;
  std::vector<Part> parts_;
  std::vector<Clock::time_point> times_;  // one more than parts_; CPU only
  std::vector<c10::Event> events_;        // one more than parts_; CUDA only
};

}  // namespace p2mpp::torchscript
