#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace p2mpp {

/// The latest of many values; older ones are forgotten, so that memory does not grow.
class RecentValues {
 public:
  void add(double value);
  /// {"count", "p50", "p95", "p99"} of the values that are kept.
  [[nodiscard]] nlohmann::ordered_json percentiles() const;

 private:
  std::vector<double> values_;
  std::size_t next_ = 0;
};

/// What a worker has done so far.
struct WorkerStatistics {
  std::size_t accepted = 0;
  std::size_t done = 0;     ///< with a mesh
  std::size_t failed = 0;   ///< accepted, but without a mesh, or without a score where one was asked for
  std::size_t refused = 0;  ///< lines that were no request
  std::size_t dropped = 0;  ///< accepted, but not begun when the worker was told to stop
  std::map<std::size_t, std::size_t> batches;  ///< how many batches of each size
  RecentValues queued_ms, total_ms;            ///< from acceptance to the begin of its batch, and to the answer

  /// Accepted and not yet answered.
  [[nodiscard]] std::size_t in_work() const { return accepted - done - failed - dropped; }
  [[nodiscard]] nlohmann::ordered_json to_json(std::size_t waiting) const;
};

}  // namespace p2mpp
