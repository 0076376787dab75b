#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <type_traits>
#include <vector>

namespace p2mpp {

/// A pool of threads that runs one call's tasks at a time. The caller works too, so a pool of one starts no thread.
/// Between calls the threads spin for some microseconds before they sleep, because graph convolutions follow each other
/// that quickly.
class ThreadPool {
 public:
  explicit ThreadPool(int thread_count);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] int thread_count() const { return static_cast<int>(threads_.size()) + 1; }

  /// Calls body(task, worker) once for each task from 0 to task_count - 1, with worker from 0 to thread_count() - 1,
  /// and returns when all are done. The body must not throw. The caller's work may end here: see end_if_stopped(). Not
  /// thread-safe.
  template <class Body>
  void run(std::size_t task_count, Body&& body) {
    using Function = std::remove_reference_t<Body>;
    share_out(
        task_count,
        [](void* function, std::size_t task, int worker) noexcept {
          (*static_cast<Function*>(function))(task, worker);
        },
        const_cast<void*>(static_cast<const void*>(&body)));
  }

 private:
  using Call = void (*)(void* function, std::size_t task, int worker) noexcept;

  void share_out(std::size_t task_count, Call call, void* function);
  void work(int worker);
  void run_tasks(int worker);

  std::vector<std::thread> threads_;
  Call call_ = nullptr;
  void* function_ = nullptr;
  std::size_t task_count_ = 0;
  bool ending_ = false;
  alignas(64) std::atomic<std::size_t> next_task_{0};
  alignas(64) std::atomic<unsigned> round_{0};    // incremented to start a call
  alignas(64) std::atomic<unsigned> working_{0};  // threads that have not finished this call
};

}  // namespace p2mpp
