#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "server/spool.h"

namespace p2mpp {

/// The latest results, each for a limited time. Thread-safe.
class ResultStore {
 public:
  using Clock = std::chrono::steady_clock;

  ResultStore(std::size_t most, std::chrono::seconds age) : most_(most), age_(age) {}

  void keep(std::shared_ptr<SpoolFolder> folder);

  /// The folder of a result that is still kept, or null. It stays while it is held.
  [[nodiscard]] std::shared_ptr<SpoolFolder> find(const std::string& name);

  [[nodiscard]] std::size_t size() const;

  /// Removes those whose time is over. To be called now and then.
  void forget_old_ones();

 private:
  struct StoredResult {
    Clock::time_point since;
    std::shared_ptr<SpoolFolder> folder;
  };
  void drop_old_ones();

  const std::size_t most_;
  const std::chrono::seconds age_;
  mutable std::mutex mutex_;
  std::deque<StoredResult> results_;  // the oldest first
};

}  // namespace p2mpp
