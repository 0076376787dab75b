#include "backends/torchscript/part_timer.h"

#include <c10/core/impl/VirtualGuardImpl.h>

namespace p2mpp::torchscript {

PartTimer::PartTimer(c10::Device device) : device_(device) { record(); }

void PartTimer::mark(Part part) {
  parts_.push_back(part);
  record();
}

void PartTimer::record() {
  if (device_.is_cpu()) {
    times_.push_back(Clock::now());
    return;
  }
  // Only BACKEND_DEFAULT events record a time; PyTorch's default events do not.
  c10::Event& event = events_.emplace_back(device_.type(), c10::EventFlag::BACKEND_DEFAULT);
  event.record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
}

void PartTimer::finish(PartTimes& times) {
  if (!events_.empty()) events_.back().synchronize();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    times[parts_[i]] += device_.is_cpu() ? std::chrono::duration<double, std::milli>(times_[i + 1] - times_[i]).count()
                                         : events_[i].elapsedTime(events_[i + 1]);
  }
}

}  // namespace p2mpp::torchscript
