#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/json_text.h"
#include "base/table.h"
#include "eval/evaluation_report.h"

namespace p2mpp {

/// The memory in use at a moment.
struct MemorySample {
  double seconds = 0;                ///< since the sampler began
  std::uint64_t resident_bytes = 0;  ///< of this process
  std::uint64_t device_bytes = 0;    ///< allocated on a CUDA device by the engine
};

/// Samples the memory that this process uses, from a thread of its own, until finish(). It keeps at most 1024 samples,
/// evenly spread over any duration.
class MemorySampler {
 public:
  /// `device_bytes` is called from the sampling thread.
  explicit MemorySampler(std::function<std::uint64_t()> device_bytes = [] { return 0; });
  ~MemorySampler();
  MemorySampler(const MemorySampler&) = delete;
  MemorySampler& operator=(const MemorySampler&) = delete;

  /// Ends the sampling and returns the samples.
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

/// One sentence that names the limiting step and what would make it faster.
[[nodiscard]] std::string bottleneck(const EvaluationSummary& summary);

/// A row per part: calls, seconds in total, median milliseconds, share of the total.
[[nodiscard]] TableCells part_table(const EvaluationSummary& summary);

/// A row per step: threads, busy seconds, and their share of the wall clock time.
[[nodiscard]] TableCells step_table(const EvaluationSummary& summary);

/// A line on resident memory and, if a device was used, one on its memory: first, last and peak value.
[[nodiscard]] std::string memory_text(const std::vector<MemorySample>& memory);

/// All of the above as JSON, and memory over time; device memory only if a device was used.
[[nodiscard]] Json profile_document(const EvaluationSummary& summary, const std::vector<MemorySample>& memory);

}  // namespace p2mpp
