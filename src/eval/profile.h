#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/table.h"
#include "eval/evaluation_report.h"

namespace p2mpp {

/// How much memory was in use when.
struct MemorySample {
  double seconds = 0;                ///< since the sampler began
  std::uint64_t resident_bytes = 0;  ///< of this process
  std::uint64_t device_bytes = 0;    ///< of a CUDA device, by the engine
};

/// Looks at this process's memory again and again from a thread of its own, until it is asked for the samples.
/// However long that takes, it keeps at most 1024 of them, evenly spread.
class MemorySampler {
 public:
  /// device_bytes: asked from that thread.
  explicit MemorySampler(std::function<std::uint64_t()> device_bytes = [] { return 0; });
  ~MemorySampler();
  MemorySampler(const MemorySampler&) = delete;
  MemorySampler& operator=(const MemorySampler&) = delete;

  /// Ends the sampling.
  [[nodiscard]] std::vector<MemorySample> finish();

 private:
  void sample();

  const std::function<std::uint64_t()> device_bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_finished_ = false;
  std::vector<MemorySample> samples_;
  std::thread thread_;
};

/// One sentence: which step the others wait for, and what would help.
[[nodiscard]] std::string bottleneck(const EvaluationSummary& summary);

/// A row a part: calls, seconds in total, median milliseconds, share of the total.
[[nodiscard]] TableCells part_table(const EvaluationSummary& summary);

/// A row a step: threads, seconds at work, share of the wall clock that its threads were at work.
[[nodiscard]] TableCells step_table(const EvaluationSummary& summary);

/// A line on what was resident, and one on the device's memory where there was any: at first, at last, at most.
[[nodiscard]] std::string memory_text(const std::vector<MemorySample>& memory);

/// All of it, and memory over time; the device's where there was any.
[[nodiscard]] nlohmann::ordered_json profile_document(const EvaluationSummary& summary,
                                                      const std::vector<MemorySample>& memory);

}  // namespace p2mpp
