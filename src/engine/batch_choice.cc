#include "engine/batch_choice.h"

#include <fmt/format.h>

#include <algorithm>

namespace p2mpp {
namespace {

constexpr double kGibibyte = 1 << 30;

double highest_rate(const BatchChoice& choice) {
  double highest = 0;
  for (const BatchTrial& trial : choice.trials) highest = std::max(highest, trial.samples_per_second);
  return highest;
}

// Device memory in use while the batch is computed, in bytes.
std::uint64_t bytes_with(const BatchMemory& memory) {
  return memory.device.total - std::min(memory.device.total, memory.device.available) + memory.needed;
}

// Why `batch` is not worth measuring (one clause); empty if it is. `before`: the previous, smaller batch.
std::string obstacle(int batch, const BatchMemory& memory, double memory_share, int largest, const BatchTrial& before) {
  if (batch > largest) return fmt::format("{} is the largest batch", largest);
  const auto bytes = static_cast<double>(bytes_with(memory));
  const auto total = static_cast<double>(memory.device.total);
  if (bytes > memory_share * total) {
    return fmt::format("{} would have {:.2f} of the memory's {:.2f} GiB in use, more than the share {:g}", batch,
                       bytes / kGibibyte, total / kGibibyte, memory_share);
  }
  const double seconds = batch / before.samples_per_second;
  return seconds > kMaxPassSeconds ? fmt::format("{} would take {:.1f} s a pass, too long to measure", batch, seconds)
                                   : "";
}

int smallest_good_batch(const BatchChoice& choice) {
  const double good = kGoodShare * highest_rate(choice);
  const auto found =
      std::ranges::find_if(choice.trials, [good](const BatchTrial& trial) { return trial.samples_per_second >= good; });
  return found == choice.trials.end() ? 1 : found->batch;
}

}  // namespace

BatchChoice choose_batch(const BatchMeter& meter, double memory_share, int largest) {
  BatchChoice choice;
  for (int batch = 1; choice.reason.empty(); batch *= 2) {
    const BatchMemory memory = meter.memory(batch);
    if (batch > 1) choice.reason = obstacle(batch, memory, memory_share, largest, choice.trials.back());
    if (!choice.reason.empty()) break;
    const std::optional<double> rate = meter.samples_per_second(batch);
    if (!rate) {
      choice.reason = fmt::format("{} do not fit into memory", batch);
      break;
    }
    if (*rate < kWorthwhileGain * highest_rate(choice)) {
      choice.reason = fmt::format("{} gain less than {:.0f}%", batch, 100 * (kWorthwhileGain - 1));
    }
    choice.trials.push_back({.batch = batch, .samples_per_second = *rate, .memory_bytes = bytes_with(memory)});
  }
  choice.batch = smallest_good_batch(choice);
  return choice;
}

}  // namespace p2mpp
