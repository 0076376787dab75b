#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pipeline/requests/worker_request.h"

namespace p2mpp {

/// An accepted request.
struct Ticket {
  using Clock = std::chrono::steady_clock;

  std::size_t number = 0;  ///< in the order of acceptance
  WorkerRequest request;
  Clock::time_point accepted = {};
};

/// Whether it is too late to begin the ticket's request.
[[nodiscard]] inline bool is_expired(const Ticket& ticket, Ticket::Clock::time_point now) {
  return ticket.request.deadline && now > ticket.accepted + *ticket.request.deadline;
}

/// A queue of at most `capacity` waiting requests, ordered by descending priority, then by age. One of every
/// kTurnOfTheOldest requests that are popped is the oldest, so that no request waits forever behind more urgent ones.
/// A push, a pop and a removal of one request take O(log n). Thread-safe.
class RequestQueue {
 public:
  static constexpr std::size_t kTurnOfTheOldest = 8;

  explicit RequestQueue(std::size_t capacity) : capacity_(capacity) {}

  /// Waits until there is room. Returns false, and discards the ticket, once the queue is closed.
  bool push(Ticket ticket);

  /// The same without waiting: returns false, and discards the ticket, also if there is no room.
  bool try_push(Ticket ticket);

  /// Removes a waiting ticket and returns it; empty if it is not waiting.
  std::optional<Ticket> remove(std::size_t number);

  /// Waits for a request, then until `max_batch` requests are waiting or `timeout` has passed since the oldest was
  /// accepted. Returns an empty batch once the queue is closed and empty.
  std::vector<Ticket> pop_batch(std::size_t max_batch, std::chrono::milliseconds timeout);

  /// Accepts no more tickets. Waiting ones can still be popped, without waiting for the timeout.
  void close();

  /// Closes the queue and returns the waiting tickets.
  std::vector<Ticket> drain();

  [[nodiscard]] std::size_t size() const;

 private:
  using Key = std::pair<int, std::size_t>;  // the priority negated, the number

  using Age = std::pair<Ticket::Clock::time_point, std::size_t>;  // when it was accepted, the number

  bool is_full() const { return waiting_.size() >= capacity_; }
  void insert(Ticket ticket);
  Ticket take_one();
  std::vector<Ticket> take(std::size_t count);

  const std::size_t capacity_;
  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable has_room_, has_change_;
  std::map<Key, Ticket> waiting_;
  std::unordered_map<std::size_t, Key> by_number_;  // of all that wait
  std::map<Age, Key> by_age_;                       // of all that wait
  std::size_t since_oldest_ = 0;                    // requests taken since the oldest had its turn
  bool closed_ = false;
};

}  // namespace p2mpp
