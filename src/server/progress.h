#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace p2mpp {

/// What a long request has said so far: its last kMostLines lines. Thread-safe.
class Progress {
 public:
  static constexpr std::size_t kMostLines = 200;

  void add(std::string line);
  /// {"lines": [...]}
  [[nodiscard]] std::string json() const;

  /// The request has its answer: its key may be used again.
  void close() { is_closed_ = true; }
  [[nodiscard]] bool is_closed() const { return is_closed_; }

 private:
  mutable std::mutex mutex_;
  std::deque<std::string> lines_;
  std::atomic<bool> is_closed_ = false;
};

/// The progress of requests that are open, by keys that their clients have chosen. Thread-safe.
class ProgressBoard {
 public:
  static constexpr std::size_t kShortestKey = 16, kLongestKey = 64;

  /// It can be found as long as it is held; its key is in use until it is closed. Throws Refusal unless the key is
  /// unused and consists of kShortestKey to kLongestKey letters, digits and '-'.
  [[nodiscard]] std::shared_ptr<Progress> open(const std::string& key);
  /// Null if there is none.
  [[nodiscard]] std::shared_ptr<Progress> find(const std::string& key) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Progress>> open_;
};

}  // namespace p2mpp
