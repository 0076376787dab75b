#pragma once

#include <exception>
#include <mutex>

namespace p2mpp {

/// The first exception thrown by the steps of a pipeline, which run in threads of their own. Thread-safe.
class FirstFailure {
 public:
  /// Runs a step. If it throws, calls `end_all`, which must make the other steps end, and keeps the exception if it is
  /// the first.
  template <typename Step, typename EndAll>
  void guard(const Step& step, const EndAll& end_all) {
    try {
      step();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      end_all();
    }
  }

  /// Rethrows the kept exception, if any. Precondition: all steps have ended.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace p2mpp
