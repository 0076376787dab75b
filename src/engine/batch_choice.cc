#include "engine/batch_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/clock.h"

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

// The fastest of several passes is used: disturbances only slow a pass down, and the first pass of a shape also
// allocates memory.
constexpr int kFewestPasses = 2;
constexpr int kMostPasses = 20;
constexpr double kEnoughSeconds = 0.25;

// Time from one batch's results to the next's, with enough batches in flight to keep the device busy.
double fastest_pass_seconds(Backend& backend, std::span<const Sample> batch) {
  const std::size_t ahead = backend.batches_in_flight() - 1;
  for (std::size_t i = 0; i < ahead; ++i) backend.submit(batch);
  double fastest = std::numeric_limits<double>::infinity();
  double all = 0;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    if (all > (pass < kFewestPasses ? kMaxPassSeconds : kEnoughSeconds)) break;
    const auto begin = Clock::now();
    backend.submit(batch);
    static_cast<void>(backend.collect());
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    fastest = std::min(fastest, seconds);
    all += seconds;
    if (backend.largest_batch() < batch.size()) break;  // it did not fit and was computed in parts
  }
  for (std::size_t i = 0; i < ahead; ++i) static_cast<void>(backend.collect());
  return fastest;
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

Sample blank_sample(std::size_t view_count) {
  constexpr int kSide = static_cast<int>(kImageSize);
  const Image white{kSide, kSide, std::vector<std::uint8_t>(std::size_t{4} * kSide * kSide, 255)};
  Sample sample{.id = "warm-up", .views = {}};
  for (std::size_t view = 0; view < view_count; ++view) {
    const float azimuth_deg = 360.0F * static_cast<float>(view) / static_cast<float>(view_count);
    sample.views.push_back(view_from_row(white, {azimuth_deg, 27.5F, 0, 0.75F, 25}));
  }
  return sample;
}

BatchChoice measure_batch(Backend& backend, std::size_t view_count, double memory_share, int largest) {
  const auto rate = [&](int batch) -> std::optional<double> {
    const auto count = static_cast<std::size_t>(batch);
    const std::vector<Sample> samples(count, blank_sample(view_count));
    const double seconds = fastest_pass_seconds(backend, samples);
    if (backend.largest_batch() < count) return std::nullopt;
    return batch / seconds;
  };
  const BatchMeter meter{
      .memory = [&](int batch) { return backend.memory_for(static_cast<std::size_t>(batch), view_count); },
      .samples_per_second = rate};
  BatchChoice choice = choose_batch(meter, memory_share, largest);
  choice.batch = static_cast<int>(std::min(static_cast<std::size_t>(choice.batch), backend.largest_batch()));
  return choice;
}

}  // namespace p2mpp
