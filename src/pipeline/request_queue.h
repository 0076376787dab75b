#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "io/worker_request.h"

namespace p2mpp {

/// A request that was accepted.
struct Ticket {
  using Clock = std::chrono::steady_clock;

  std::size_t number = 0;  ///< in the order of acceptance
  WorkerRequest request;
  Clock::time_point accepted = {};
};

/// Requests that wait, at most `capacity` of them: higher priorities first, and among equals the older.
class RequestQueue {
 public:
  explicit RequestQueue(std::size_t capacity) : capacity_(capacity) {}

  /// Waits for room. Gives false, and drops the ticket, once the queue is closed.
  bool push(Ticket ticket);

  /// Waits for a request, then for a batch of `max_batch`, but not longer than `timeout` after the oldest came. Empty
  /// once the queue is closed and empty.
  std::vector<Ticket> pop_batch(std::size_t max_batch, std::chrono::milliseconds timeout);

  /// No ticket is taken any more; those that wait still come out, without waiting for more.
  void close();

  /// Closes it and gives back what waits.
  std::vector<Ticket> drain();

  [[nodiscard]] std::size_t size() const;

 private:
  using Key = std::pair<int, std::size_t>;  // the priority negated, the number

  [[nodiscard]] Ticket::Clock::time_point oldest() const;
  std::vector<Ticket> take(std::size_t count);

  const std::size_t capacity_;
  mutable std::mutex mutex_;  // of what follows
  std::condition_variable has_room_, has_change_;
  std::map<Key, Ticket> waiting_;
  bool closed_ = false;
};

}  // namespace p2mpp
