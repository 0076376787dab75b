#include "server/task_runner.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/thread_scopes.h"

namespace p2mpp {

TaskRunner::TaskRunner(std::size_t most_waiting, int threads)
    : waiting_(most_waiting, {.heavy = static_cast<std::size_t>(std::max(1, threads / 2)),
                              .of_client = static_cast<std::size_t>(std::max(2, threads - 1))}) {
  for (int i = 0; i < std::max(1, threads); ++i) threads_.emplace_back([this] { work(); });
}

TaskRunner::~TaskRunner() { give_up(); }

std::optional<std::size_t> TaskRunner::add(WorkerRequest request, std::function<Response()> run,
                                           std::function<void(Response)> respond) {
  std::size_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = next_number_++;
    open_.emplace(number, std::make_shared<Task>(Task{std::move(run), std::move(respond)}));
  }
  if (waiting_.try_push({number, std::move(request), Clock::now()})) return number;
  static_cast<void>(take(number));
  return std::nullopt;
}

// The caller is the one to respond. Null if another one was.
std::shared_ptr<TaskRunner::Task> TaskRunner::take(std::size_t number) {
  const std::lock_guard lock(mutex_);
  auto taken = open_.extract(number);
  return taken ? std::move(taken.mapped()) : nullptr;
}

void TaskRunner::end(std::size_t number, const Refusal& reason) {
  static_cast<void>(waiting_.remove(number));
  static_cast<void>(end_with(number, reason));
}

// Whether this was the response.
bool TaskRunner::end_with(std::size_t number, const Refusal& reason) {
  const std::shared_ptr<Task> task = take(number);
  if (!task) return false;
  task->stop.request_stop();
  task->respond(response_to(reason));
  return true;
}

void TaskRunner::drop(std::size_t number) {
  if (end_with(number, {http_status::kUnavailable, "the server is stopping"})) ++dropped_;
}

void TaskRunner::stop() {
  for (const Ticket& ticket : waiting_.drain()) drop(ticket.number);
}

void TaskRunner::give_up() {
  stop();
  std::vector<std::size_t> numbers;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, task] : open_) numbers.push_back(number);
  }
  for (const std::size_t number : numbers) drop(number);
}

void TaskRunner::work() {
  while (true) {
    const std::vector<Ticket> next = waiting_.pop_batch(1, {});
    if (next.empty()) return;
    run(next.front());
    waiting_.release(next.front().request);
  }
}

void TaskRunner::run(const Ticket& ticket) {
  std::shared_ptr<Task> task;
  {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(ticket.number);
    if (found == open_.end()) return;
    task = found->second;
  }
  const StopQuestion question = [token = task->stop.get_token()] { return token.stop_requested(); };
  const StopScope scope(&question);
  Response response;
  try {
    run_beside_others(ticket.request, [&] { response = task->run(); });
  } catch (const Stopped&) {
    return;  // end() has responded
  }
  if (take(ticket.number)) task->respond(std::move(response));
}

}  // namespace p2mpp
