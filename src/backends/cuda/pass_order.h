#pragma once

#include <exception>
#include <functional>
#include <mutex>

#include "backends/cuda/device_runtime.h"

namespace p2mpp {

/// Runs the passes of all engines on a device one after another. Joined layers are one launch whose thread blocks
/// synchronise with each other, so all of them must be resident at the same time. Two such launches at once could each
/// occupy a part of the device and deadlock. Every pass therefore waits for the one queued before it, from whichever
/// engine. The device waits, not the host: a thread may submit to one engine and then to another before it collects
/// from the first. Thread-safe.
class PassOrder {
 public:
  /// Calls `queue_pass`, which queues a pass in the compute stream of `runtime`. `end` belongs to the engine and is
  /// recorded after each of its passes; call forget() before destroying it. Rethrows exceptions of `queue_pass`; work
  /// that it had queued by then counts as a pass.
  void queue(DeviceRuntime& runtime, DeviceEvent& end, const std::function<void()>& queue_pass) {
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

  /// Precondition: the device has passed `end`.
  void forget(const DeviceEvent& end) {
    const std::lock_guard lock(mutex_);
    if (last_ == &end) last_ = nullptr;
  }

 private:
  std::mutex mutex_;
  const DeviceEvent* last_ = nullptr;  // end of the most recently queued pass
};

}  // namespace p2mpp
