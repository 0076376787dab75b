#include "python/background.h"

#include <pthread.h>
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <list>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace p2mpp::python {
namespace {

/// The background work of this process.
struct Running {
  pid_t process = getpid();
  std::mutex mutex;
  std::condition_variable ended;
  std::list<std::function<void()>> ask_to_stop;  // of each thread
};

// Never destroyed, because a thread may end after main(). A forked process has none of its parent's threads.
Running& running() {
  static auto* running = new Running;
  if (running->process != getpid()) running = new Running;
  return *running;
}

// Signals are for the interpreter's threads: they would interrupt system calls here. Those of a crash are not blocked.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) sigdelset(&all, crash);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

void run_in_background(std::function<void()> work, std::function<void()> ask_to_stop) {
  Running& all = running();
  std::unique_lock lock(all.mutex);
  const auto place = all.ask_to_stop.insert(all.ask_to_stop.end(), std::move(ask_to_stop));
  const auto run = [&all, place, work = std::move(work)]() mutable {
    work();
    work = nullptr;  // what it owns is destroyed before this thread counts as ended
    std::unique_lock ending(all.mutex);
    all.ask_to_stop.erase(place);
    std::notify_all_at_thread_exit(all.ended, std::move(ending));
  };
  try {
    const SignalsBlocked blocked;
    std::thread(run).detach();
  } catch (...) {
    all.ask_to_stop.erase(place);
    throw;
  }
}

void finish_background() {
  Running& all = running();
  std::unique_lock lock(all.mutex);
  const std::vector<std::function<void()>> ask_to_stop(all.ask_to_stop.begin(), all.ask_to_stop.end());
  lock.unlock();
  for (const auto& ask : ask_to_stop) {
    if (ask) ask();
  }
  lock.lock();
  all.ended.wait(lock, [&all] { return all.ask_to_stop.empty(); });
}

}  // namespace p2mpp::python
