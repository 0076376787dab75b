#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

namespace p2mpp {

/// Hands values from threads to threads, in the order in which they come, and makes who is faster wait: at most
/// `capacity` values are on their way.
template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  /// Waits for room. Gives false, and drops the value, once the queue is closed.
  bool push(T value) {
    std::unique_lock lock(mutex_);
    has_room_.wait(lock, [this] { return closed_ || values_.size() < capacity_; });
    if (closed_) return false;
    values_.push_back(std::move(value));
    has_value_.notify_one();
    return true;
  }

  /// Waits for a value. Gives nothing once the queue is closed and empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    has_value_.wait(lock, [this] { return closed_ || !values_.empty(); });
    return take();
  }

  /// A value if there is one.
  std::optional<T> try_pop() {
    const std::lock_guard lock(mutex_);
    return take();
  }

  /// No value is taken any more; those that are on their way still come out.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    has_room_.notify_all();
    has_value_.notify_all();
  }

  /// Closes it and drops what is on its way.
  void abandon() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    values_.clear();
    has_room_.notify_all();
    has_value_.notify_all();
  }

 private:
  std::optional<T> take() {
    if (values_.empty()) return std::nullopt;
    std::optional<T> value(std::move(values_.front()));
    values_.pop_front();
    has_room_.notify_one();
    return value;
  }

  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable has_room_, has_value_;
  std::deque<T> values_;
  bool closed_ = false;
};

}  // namespace p2mpp
