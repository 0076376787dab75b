#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/thread_scopes.h"

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

/// Calls body(task) once for every task from 0 to count - 1, on at most `threads` threads, and waits. The first
/// exception is rethrown after all threads have ended. Tasks that have not begun by then are skipped. Before each task,
/// the work may be ended: see end_if_stopped().
template <typename Body>
void for_each_task(std::size_t count, int threads, const Body& body) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::once_flag failed;
  const auto work = [&, question = stop_question(), &folder = reading_folder()] {
    const StopScope stop(question);
    const ReadingScope reading(folder);
    try {
      for (std::size_t task = next++; task < count; task = next++) {
        end_if_stopped();
        body(task);
      }
    } catch (...) {
      std::call_once(failed, [&] { failure = std::current_exception(); });
      next = count;
    }
  };
  {
    std::vector<std::jthread> others;
    const std::size_t wanted = std::min(count, static_cast<std::size_t>(std::max(threads, 1)));
    for (std::size_t i = 1; i < wanted; ++i) others.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

/// Splits 0..count into pieces, calls body(begin, end) for each on at most `threads` threads, and waits, as
/// for_each_task() does.
template <typename Body>
void for_each_piece(std::size_t count, int threads, const Body& body) {
  constexpr std::size_t kFewest = 256;  // starting a thread costs as much as this many lookups
  const std::size_t most = std::max<std::size_t>(1, count / kFewest);
  const std::size_t pieces = std::min(static_cast<std::size_t>(std::max(threads, 1)), most);
  for_each_task(pieces, threads, [&](std::size_t i) { body(count * i / pieces, count * (i + 1) / pieces); });
}

}  // namespace p2mpp
