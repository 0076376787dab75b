#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "pipeline/requests/request_queue.h"
#include "server/http.h"

namespace p2mpp {

/// Runs checks of samples in threads of its own, so that they do not wait for the network's computation. They come in
/// the order of a RequestQueue, half of the threads may have heavy ones, and each thread holds one sample's images at a
/// time. Thread-safe.
class CheckRunner {
 public:
  CheckRunner(std::size_t most_waiting, int threads);
  /// Ends as after give_up().
  ~CheckRunner();
  CheckRunner(const CheckRunner&) = delete;
  CheckRunner& operator=(const CheckRunner&) = delete;

  /// Calls `run` and responds with what it returns. Returns the check's number; nothing if there is no room. `run` must
  /// throw nothing but Stopped, and may be given up: see end_if_stopped().
  std::optional<std::size_t> add(WorkerRequest request, std::function<Response()> run,
                                 std::function<void(Response)> respond);

  /// Gives a check up, and responds with this unless it was responded to already.
  void end(std::size_t number, const Refusal& reason);

  /// Gives all checks up, and adds no more.
  void give_up();

 private:
  struct Check {
    std::function<Response()> run;
    std::function<void(Response)> respond;
    std::stop_source stop = {};
  };

  void work();
  void run(const Ticket& ticket);
  [[nodiscard]] std::shared_ptr<Check> take(std::size_t number);

  RequestQueue waiting_;
  std::mutex mutex_;  // guards the members below
  std::size_t next_number_ = 1;
  std::map<std::size_t, std::shared_ptr<Check>> open_;  // those that nobody has responded to
  std::vector<std::jthread> threads_;
};

}  // namespace p2mpp
