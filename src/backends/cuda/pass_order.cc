#include "backends/cuda/pass_order.h"

#include <exception>

namespace p2mpp {

void PassOrder::queue(DeviceRuntime& runtime, DeviceEvent& end, const std::function<void()>& queue_pass) {
  const std::lock_guard lock(mutex_);
  const DeviceStream compute = runtime.stream(kComputeStream);
  if (last_ != nullptr && last_ != &end) runtime.wait_for(compute, *last_);
  std::exception_ptr failure;
  try {
    queue_pass();
  } catch (...) {
    failure = std::current_exception();
  }
  try {
    runtime.record(end, compute);
    last_ = &end;
  } catch (...) {
    if (!failure) throw;
  }
  if (failure) std::rethrow_exception(failure);
}

void PassOrder::forget(const DeviceEvent& end) {
  const std::lock_guard lock(mutex_);
  if (last_ == &end) last_ = nullptr;
}

}  // namespace p2mpp
