#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

namespace p2mpp {

/// A thread-safe FIFO queue of at most `capacity` values, for any number of producers and consumers.
template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  /// Blocks while the queue is full. If the queue is closed, drops the value and returns false.
  bool push(T value) {
    std::unique_lock lock(mutex_);
    has_room_.wait(lock, [this] { return closed_ || values_.size() < capacity_; });
    if (closed_) return false;
    values_.push_back(std::move(value));
    has_value_.notify_one();
    return true;
  }

  /// Does not block: drops the value and returns false if the queue is full or closed.
  bool try_push(T value) {
    const std::lock_guard lock(mutex_);
    if (closed_ || values_.size() >= capacity_) return false;
    values_.push_back(std::move(value));
    has_value_.notify_one();
    return true;
  }

  /// Blocks while the queue is empty. Returns nullopt if it is closed and empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    has_value_.wait(lock, [this] { return closed_ || !values_.empty(); });
    return take();
  }

  /// Does not block: returns nullopt if the queue is empty.
  std::optional<T> try_pop() {
    const std::lock_guard lock(mutex_);
    return take();
  }

  /// Further values are rejected; values in the queue can still be popped.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    has_room_.notify_all();
    has_value_.notify_all();
  }

  /// Closes the queue and drops its values.
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
