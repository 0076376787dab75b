#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <thread>
#include <vector>

#include "eval/evaluation_report.h"
#include "eval/table_cells.h"

namespace p2mpp {

/// What was resident when.
struct MemorySample {
  double seconds = 0;  ///< since the sampler began
  std::uint64_t resident_bytes = 0;
};

/// Looks at this process's resident memory again and again from a thread of its own, until it is asked for the samples.
/// However long that takes, it keeps at most 1024 of them, evenly spread.
class MemorySampler {
 public:
  MemorySampler();
  ~MemorySampler();
  MemorySampler(const MemorySampler&) = delete;
  MemorySampler& operator=(const MemorySampler&) = delete;

  /// Ends the sampling.
  [[nodiscard]] std::vector<MemorySample> finish();

 private:
  void sample();

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_finished_ = false;
  std::vector<MemorySample> samples_;
  std::thread thread_;
};

/// One sentence: which stage the others wait for, and what would help.
[[nodiscard]] std::string bottleneck(const EvaluationSummary& summary);

/// A row a part: calls, seconds in total, median milliseconds, share of the total.
[[nodiscard]] TableCells part_table(const EvaluationSummary& summary);

/// A row a stage: threads, seconds at work, share of the wall clock that its threads were at work.
[[nodiscard]] TableCells stage_table(const EvaluationSummary& summary);

/// All of it, and memory over time.
[[nodiscard]] nlohmann::ordered_json profile_document(const EvaluationSummary& summary,
                                                      const std::vector<MemorySample>& memory);

}  // namespace p2mpp
