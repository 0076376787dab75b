#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <type_traits>
#include <vector>

namespace p2mpp {

/// Threads that share out the tasks of one call after another. The caller works, too: a pool of one has no thread of
/// its own. Between calls they watch for the next one for some microseconds, as graph convolutions follow each other so
/// fast, and then sleep.
class ThreadPool {
 public:
  explicit ThreadPool(int thread_count);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] int thread_count() const { return static_cast<int>(threads_.size()) + 1; }

  /// Calls body(task, worker) for every task from 0 to task_count - 1, each once, on any worker from 0 to
  /// thread_count() - 1, and returns when all are done. A body must not throw. One caller at a time.
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
  void take_tasks(int worker);

  std::vector<std::thread> threads_;
  Call call_ = nullptr;
  void* function_ = nullptr;
  std::size_t task_count_ = 0;
  bool ending_ = false;
  alignas(64) std::atomic<std::size_t> next_task_{0};
  alignas(64) std::atomic<unsigned> round_{0};    // counts calls; a change is the signal to start
  alignas(64) std::atomic<unsigned> working_{0};  // threads that have not finished this call
};

}  // namespace p2mpp
