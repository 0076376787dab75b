#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/thread_scopes.h"
#include "requests/worker_request.h"

namespace p2mpp {

/// An accepted request.
struct Ticket {
  std::size_t number = 0;  ///< in the order of acceptance
  WorkerRequest request;
  Clock::time_point accepted = {};
};

/// Whether the ticket's deadline has passed.
[[nodiscard]] inline bool is_expired(const Ticket& ticket, Clock::time_point now) {
  return ticket.request.deadline && now > ticket.accepted + *ticket.request.deadline;
}

inline constexpr std::size_t kMostPixelsOfLight = std::size_t{64} << 20;

/// Whether a request is so large that it is read alone, and that others must not wait for it.
[[nodiscard]] inline bool is_heavy(const WorkerRequest& request) { return request.pixels > kMostPixelsOfLight; }

/// Runs the work; that of a heavy request at low priority, so that it does not delay others.
inline void run_beside_others(const WorkerRequest& request, const std::function<void()>& work) {
  is_heavy(request) ? run_at_low_priority(work) : work();
}

/// A queue of at most `capacity` waiting requests. Clients take turns: the next request is that of the client for which
/// least was done of late, by its requests and their pixels. A client's own requests are ordered by descending
/// priority, then by age. One of every kTurnOfTheOldest of them that are popped is the oldest, so that no request waits
/// forever behind more urgent ones. A push, a pop and a removal of one request take O(log n), and O(clients that wait).
/// Thread-safe.
class RequestQueue {
 public:
  static constexpr std::size_t kTurnOfTheOldest = 8;

  /// Limits of the requests that were popped and not released. They keep room for clients that come later.
  struct Limits {
    std::size_t heavy = static_cast<std::size_t>(-1);
    std::size_t of_client = static_cast<std::size_t>(-1);  ///< at which no batch begins; a batch may exceed it
  };
  RequestQueue(std::size_t capacity, Limits limits) : capacity_(capacity), limits_(limits) {}
  explicit RequestQueue(std::size_t capacity) : capacity_(capacity) {}

  /// Waits until there is room. Returns false, and discards the ticket, once the queue is closed.
  bool push(Ticket ticket);

  /// The same without waiting: returns false, and discards the ticket, also if there is no room.
  bool try_push(Ticket ticket);

  /// Removes a waiting ticket and returns it; empty if it is not waiting.
  std::optional<Ticket> remove(std::size_t number);

  /// Waits for a request, then until `max_batch` requests are waiting or `timeout` has passed since the oldest was
  /// accepted. A heavy request makes a batch of its own. Returns an empty batch once the queue is closed and empty.
  std::vector<Ticket> pop_batch(std::size_t max_batch, std::chrono::milliseconds timeout);

  /// A request that was popped is over.
  void release(const WorkerRequest& request);

  /// Accepts no more tickets. Waiting ones can still be popped, without waiting for the timeout.
  void close();

  /// Closes the queue and returns the waiting tickets.
  std::vector<Ticket> drain();

  [[nodiscard]] std::size_t size() const;

 private:
  using Key = std::pair<int, std::size_t>;                // the priority negated, the number
  using Age = std::pair<Clock::time_point, std::size_t>;  // when it was accepted, the number

  // The waiting requests of one client that are heavy, or that are not.
  struct Lane {
    std::map<Key, Ticket> waiting;
    std::map<Age, Key> by_age;
    std::size_t since_oldest = 0;  // requests taken since the oldest had its turn
  };
  using LaneName = std::pair<std::string, bool>;  // the client, whether they are heavy
  using Lanes = std::map<LaneName, Lane>;

  bool is_full() const { return waiting_ >= capacity_; }
  void insert(Ticket ticket);
  [[nodiscard]] bool may_pop() { return next_lane(heavy_ < limits_.heavy) != lanes_.end(); }
  [[nodiscard]] Clock::time_point oldest() const;
  [[nodiscard]] Lanes::iterator next_lane(bool with_heavy);
  [[nodiscard]] bool is_at_limit(const std::string& client) const;
  [[nodiscard]] double turn_of(const std::string& client) const;
  Ticket take_from(Lanes::iterator lane);
  Ticket extract(Lanes::iterator lane, std::map<Key, Ticket>::iterator found);
  std::vector<Ticket> take(std::size_t count);

  const std::size_t capacity_;
  const Limits limits_ = {};
  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable has_room_, has_change_;
  Lanes lanes_;                                                          // none is empty
  std::unordered_map<std::size_t, std::pair<LaneName, Key>> by_number_;  // of all that wait
  std::map<std::string, double> done_for_;        // the work of each client whose turn is not yet
  double turn_ = 0;                               // of the request that was popped last
  std::map<std::string, std::size_t> popped_of_;  // of each client, those that are not released
  std::size_t waiting_ = 0, heavy_ = 0;
  bool closed_ = false;
};

}  // namespace p2mpp
