#pragma once

#include <functional>
#include <thread>

#include "base/bounded_queue.h"

namespace p2mpp {

/// Runs checks of samples one after the other in a thread of its own, so that they do not wait for the network's
/// computation, and hold one sample's images at a time.
class CheckRunner {
 public:
  explicit CheckRunner(std::size_t most_waiting);
  ~CheckRunner();
  CheckRunner(const CheckRunner&) = delete;
  CheckRunner& operator=(const CheckRunner&) = delete;

  /// Returns whether there is room for a check. If there is, calls `run`, which must not throw. Called by one thread.
  bool add(std::function<void()> run);

 private:
  BoundedQueue<std::function<void()>> waiting_;
  std::jthread thread_;
};

}  // namespace p2mpp
