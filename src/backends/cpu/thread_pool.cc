#include "backends/cpu/thread_pool.h"

#include <algorithm>

#include "base/thread_scopes.h"

namespace p2mpp {
namespace {

constexpr int kWatches = 4000;  // tens of microseconds

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// Returns when `value` differs from `old`.
void wait_while(const std::atomic<unsigned>& value, unsigned old) {
  for (int i = 0; i < kWatches; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    pause_briefly();
  }
  while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

}  // namespace

ThreadPool::ThreadPool(int thread_count) {
  for (int worker = 1; worker < std::max(1, thread_count); ++worker) {
    threads_.emplace_back([this, worker] { work(worker); });
  }
}

ThreadPool::~ThreadPool() {
  ending_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::share_out(std::size_t task_count, Call call, void* function) {
  end_if_stopped();
  if (threads_.empty() || task_count <= 1) {
    for (std::size_t task = 0; task < task_count; ++task) call(function, task, 0);
    return;
  }
  call_ = call;
  function_ = function;
  task_count_ = task_count;
  next_task_.store(0, std::memory_order_relaxed);
  working_.store(static_cast<unsigned>(threads_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  run_tasks(0);
  for (unsigned left = working_.load(std::memory_order_acquire); left != 0;
       left = working_.load(std::memory_order_acquire)) {
    wait_while(working_, left);
  }
}

void ThreadPool::work(int worker) {
  unsigned seen = 0;
  while (true) {
    wait_while(round_, seen);
    ++seen;  // the next call cannot start before this thread has finished the current one
    if (ending_) return;
    run_tasks(worker);
    if (working_.fetch_sub(1, std::memory_order_acq_rel) == 1) working_.notify_one();
  }
}

void ThreadPool::run_tasks(int worker) {
  for (std::size_t task = next_task_.fetch_add(1, std::memory_order_relaxed); task < task_count_;
       task = next_task_.fetch_add(1, std::memory_order_relaxed)) {
    call_(function_, task, worker);
  }
}

}  // namespace p2mpp
