#include "requests/request_queue.h"

#include <algorithm>
#include <tuple>

#include "base/clock.h"

namespace p2mpp {
namespace {

// In units of a small request.
double count_work(const WorkerRequest& request) {
  constexpr double kPixels = 1 << 24;
  return 1 + static_cast<double>(request.pixels) / kPixels;
}

}  // namespace

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
  const LaneName name(ticket.request.client, is_heavy(ticket.request));
  Lane& lane = lanes_[name];
  lane.by_age.emplace(Age(ticket.accepted, ticket.number), key);
  by_number_.emplace(ticket.number, std::pair(name, key));
  lane.waiting.emplace(key, std::move(ticket));
  ++waiting_;
  has_change_.notify_all();
}

Ticket RequestQueue::extract(Lanes::iterator lane, std::map<Key, Ticket>::iterator found) {
  const Ticket& ticket = found->second;
  lane->second.by_age.erase(Age(ticket.accepted, ticket.number));
  by_number_.erase(ticket.number);
  --waiting_;
  Ticket taken = std::move(lane->second.waiting.extract(found).mapped());
  if (lane->second.waiting.empty()) lanes_.erase(lane);
  has_room_.notify_one();
  return taken;
}

std::optional<Ticket> RequestQueue::remove(std::size_t number) {
  const std::lock_guard lock(mutex_);
  const auto named = by_number_.find(number);
  if (named == by_number_.end()) return std::nullopt;
  const auto lane = lanes_.find(named->second.first);
  return extract(lane, lane->second.waiting.find(named->second.second));
}

std::vector<Ticket> RequestQueue::pop_batch(std::size_t max_batch, std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  while (true) {
    has_change_.wait(lock, [this] { return may_pop() || (closed_ && waiting_ == 0); });
    if (waiting_ == 0) return {};
    // No more requests can arrive while the queue is full, so waiting longer would be useless.
    has_change_.wait_until(lock, oldest() + timeout,
                           [&] { return closed_ || waiting_ >= std::min(max_batch, capacity_); });
    if (may_pop()) return take(max_batch);  // else all were removed meanwhile, or another thread took them
  }
}

void RequestQueue::release(const WorkerRequest& request) {
  const std::lock_guard lock(mutex_);
  if (is_heavy(request)) --heavy_;
  const auto popped = popped_of_.find(request.client);
  if (--popped->second == 0) popped_of_.erase(popped);
  has_change_.notify_all();
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
  std::vector<Ticket> left;
  while (waiting_ > 0) left.push_back(extract(lanes_.begin(), lanes_.begin()->second.waiting.begin()));
  return left;
}

std::size_t RequestQueue::size() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

Clock::time_point RequestQueue::oldest() const {
  Clock::time_point oldest = Clock::time_point::max();
  for (const auto& [name, lane] : lanes_) oldest = std::min(oldest, lane.by_age.begin()->first.first);
  return oldest;
}

// A client that had nothing to do for a while does not save up its turns.
double RequestQueue::turn_of(const std::string& client) const {
  const auto found = done_for_.find(client);
  return found == done_for_.end() ? turn_ : std::max(turn_, found->second);
}

bool RequestQueue::is_at_limit(const std::string& client) const {
  const auto popped = popped_of_.find(client);
  return popped != popped_of_.end() && popped->second >= limits_.of_client;
}

// Of clients with the same turn, the one with the most urgent request, then with the oldest.
RequestQueue::Lanes::iterator RequestQueue::next_lane(bool with_heavy) {
  const auto order = [this](const Lanes::iterator& lane) {
    return std::tuple(turn_of(lane->first.first), lane->second.waiting.begin()->first);
  };
  auto next = lanes_.end();
  for (auto lane = lanes_.begin(); lane != lanes_.end(); ++lane) {
    if ((lane->first.second && !with_heavy) || is_at_limit(lane->first.first)) continue;
    if (next == lanes_.end() || order(lane) < order(next)) next = lane;
  }
  return next;
}

Ticket RequestQueue::take_from(Lanes::iterator named) {
  Lane& lane = named->second;
  const bool is_its_turn = ++lane.since_oldest >= kTurnOfTheOldest;
  const auto taken = is_its_turn ? lane.waiting.find(lane.by_age.begin()->second) : lane.waiting.begin();
  const Age age(taken->second.accepted, taken->second.number);
  if (age == lane.by_age.begin()->first) lane.since_oldest = 0;
  turn_ = turn_of(named->first.first);
  done_for_[named->first.first] = turn_ + count_work(taken->second.request);
  std::erase_if(done_for_, [this](const auto& each) { return each.second <= turn_; });
  return extract(named, taken);
}

// Precondition: may_pop().
std::vector<Ticket> RequestQueue::take(std::size_t count) {
  std::vector<Ticket> taken;
  for (bool with_heavy = heavy_ < limits_.heavy; taken.size() < count; with_heavy = false) {
    const auto lane = next_lane(with_heavy);
    if (lane == lanes_.end()) break;
    taken.push_back(take_from(lane));
    if (!is_heavy(taken.back().request)) continue;
    ++heavy_;
    break;
  }
  for (const Ticket& ticket : taken) ++popped_of_[ticket.request.client];  // at the end: no limit cuts a batch
  return taken;
}

}  // namespace p2mpp
