#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "requests/request_queue.h"
#include "server/http.h"

namespace p2mpp {

/// Runs tasks, such as checks of samples, in threads of its own, so that they do not wait for the network's
/// computation. They come in the order of a RequestQueue, half of the threads may have heavy ones, and each thread has
/// one task at a time. Thread-safe.
class TaskRunner {
 public:
  TaskRunner(std::size_t most_waiting, int threads);
  /// Ends as after give_up().
  ~TaskRunner();
  TaskRunner(const TaskRunner&) = delete;
  TaskRunner& operator=(const TaskRunner&) = delete;

  /// Calls `run` and responds with what it returns. Returns the task's number; nothing if there is no room. `run` must
  /// throw nothing but Stopped, and may be given up: see end_if_stopped().
  std::optional<std::size_t> add(WorkerRequest request, std::function<Response()> run,
                                 std::function<void(Response)> respond);

  /// Gives a task up, and responds with this unless it was responded to already.
  void end(std::size_t number, const Refusal& reason);

  /// Gives those up that have not begun, and adds no more.
  void stop();
  /// The same with all tasks.
  void give_up();
  /// Waits for those that have begun. Precondition: stop().
  void finish() { threads_.clear(); }

  /// How many tasks stop() and give_up() have ended.
  [[nodiscard]] std::size_t dropped() const { return dropped_; }

 private:
  struct Task {
    std::function<Response()> run;
    std::function<void(Response)> respond;
    std::stop_source stop = {};
  };

  bool end_with(std::size_t number, const Refusal& reason);
  void drop(std::size_t number);
  void work();
  void run(const Ticket& ticket);
  [[nodiscard]] std::shared_ptr<Task> take(std::size_t number);

  RequestQueue waiting_;
  std::atomic<std::size_t> dropped_ = 0;
  std::mutex mutex_;  // guards the members below
  std::size_t next_number_ = 1;
  std::map<std::size_t, std::shared_ptr<Task>> open_;  // those that nobody has responded to
  std::vector<std::jthread> threads_;
};

}  // namespace p2mpp
