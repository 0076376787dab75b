#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace p2mpp {

/// Keeps only the latest values, so that memory does not grow.
class RecentValues {
 public:
  void add(double value);
  /// {"count", "p50", "p95", "p99"} of the kept values.
  [[nodiscard]] nlohmann::ordered_json percentiles() const;

 private:
  std::vector<double> values_;
  std::size_t next_ = 0;
};

/// Counts and times of a worker or a server since its start.
struct WorkerStatistics {
  std::size_t accepted = 0;
  std::size_t done = 0;                        ///< with a mesh
  std::size_t failed = 0;                      ///< accepted, but without a mesh or without the requested score
  std::size_t failed_otherwise = 0;            ///< of them, for a reason other than their files, such as memory
  std::size_t refused = 0;                     ///< lines that were not valid requests
  std::size_t dropped = 0;                     ///< accepted, but not started when a stop was requested
  std::size_t expired = 0;                     ///< accepted, but not started before their deadline
  std::size_t withdrawn = 0;                   ///< accepted, but nobody waited for the answer any more
  std::map<std::size_t, std::size_t> batches;  ///< batch size to number of batches
  RecentValues queued_ms, total_ms;            ///< from acceptance to the start of the batch, and to the answer

  /// Number of requests that are accepted but not answered.
  [[nodiscard]] std::size_t in_work() const { return accepted - done - failed - dropped - expired - withdrawn; }
  [[nodiscard]] nlohmann::ordered_json to_json(std::size_t waiting) const;
};

}  // namespace p2mpp
