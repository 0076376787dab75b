#pragma once

#include <functional>
#include <mutex>

#include "backends/cuda/device_runtime.h"

namespace p2mpp {

/// Lets the passes of all engines on one device follow each other. Joined layers are one launch whose blocks of threads
/// wait for each other: they need room for all at the same time. Of two such launches beside each other each might get
/// a part of the device, and wait for the rest for good. So every pass waits for the one that was queued before it,
/// whichever engine's it is. The device waits, the host does not: a thread may submit to one engine and then to another
/// before it collects from the first. For any thread.
class PassOrder {
 public:
  /// Calls `queue_pass`, which queues a pass in the compute stream of `runtime`. `end` is of the engine's own, and is
  /// passed after each of its passes; it must be forgotten before it goes. Throws what `queue_pass` throws: what that
  /// has queued counts as a pass, too.
  void queue(DeviceRuntime& runtime, DeviceEvent& end, const std::function<void()>& queue_pass);

  /// Once the device has passed it.
  void forget(const DeviceEvent& end);

 private:
  std::mutex mutex_;
  const DeviceEvent* last_ = nullptr;  // the end of the pass that was queued last
};

}  // namespace p2mpp
