#pragma once

#include <exception>
#include <mutex>

namespace p2mpp {

/// What the steps of a pipeline, a thread each, threw first.
class FirstFailure {
 public:
  /// Runs a step to its end. What it throws is kept if it is the first, and `end_all` is called, which is to make the
  /// other steps end, too.
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

  /// Throws it again, if there is one. For when all steps have ended.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace p2mpp
