#include "pipeline/requests/request_queue.h"

#include <algorithm>

namespace p2mpp {

bool RequestQueue::push(Ticket ticket) {
  std::unique_lock lock(mutex_);
  has_room_.wait(lock, [this] { return closed_ || !is_full(); });
  if (closed_) return false;
  insert(std::move(ticket));
  return true;
}

bool RequestQueue::try_push(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  if (closed_ || is_full()) return false;
  insert(std::move(ticket));
  return true;
}

void RequestQueue::insert(Ticket ticket) {
  const Key key(-ticket.request.priority, ticket.number);
  by_age_.emplace(Age(ticket.accepted, ticket.number), key);
  by_number_.emplace(ticket.number, key);
  waiting_.emplace(key, std::move(ticket));
  has_change_.notify_one();
}

std::optional<Ticket> RequestQueue::remove(std::size_t number) {
  const std::lock_guard lock(mutex_);
  const auto named = by_number_.find(number);
  if (named == by_number_.end()) return std::nullopt;
  const auto found = waiting_.find(named->second);
  by_number_.erase(named);
  by_age_.erase(Age(found->second.accepted, number));
  has_room_.notify_one();
  return std::move(waiting_.extract(found).mapped());
}

std::vector<Ticket> RequestQueue::pop_batch(std::size_t max_batch, std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  while (true) {
    has_change_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return {};
    // No more requests can arrive while the queue is full, so waiting longer would be useless.
    has_change_.wait_until(lock, by_age_.begin()->first.first + timeout,
                           [&] { return closed_ || waiting_.size() >= std::min(max_batch, capacity_); });
    if (!waiting_.empty()) return take(max_batch);  // else all were removed meanwhile
  }
}

void RequestQueue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  has_room_.notify_all();
  has_change_.notify_all();
}

std::vector<Ticket> RequestQueue::drain() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  has_room_.notify_all();
  has_change_.notify_all();
  return take(waiting_.size());
}

std::size_t RequestQueue::size() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

Ticket RequestQueue::take_one() {
  const bool is_its_turn = ++since_oldest_ >= kTurnOfTheOldest;
  const auto taken = is_its_turn ? waiting_.find(by_age_.begin()->second) : waiting_.begin();
  const Age age(taken->second.accepted, taken->second.number);
  if (age == by_age_.begin()->first) since_oldest_ = 0;
  by_age_.erase(age);
  by_number_.erase(taken->second.number);
  return std::move(waiting_.extract(taken).mapped());
}

std::vector<Ticket> RequestQueue::take(std::size_t count) {
  std::vector<Ticket> taken;
  while (taken.size() < count && !waiting_.empty()) taken.push_back(take_one());
  has_room_.notify_all();
  return taken;
}

}  // namespace p2mpp
