#include "engine/batch_measurement.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "engine/batch_choice.h"

namespace p2mpp {
namespace {

// The fastest of several passes is used: disturbances only slow a pass down, and the first pass of a shape also
// allocates memory.
constexpr int kFewestPasses = 2;
constexpr int kMostPasses = 20;
constexpr double kEnoughSeconds = 0.25;

// Time from one batch's results to the next's, with enough batches in flight to keep the device busy.
double fastest_pass_seconds(Backend& backend, std::span<const Sample> batch) {
  using Clock = std::chrono::steady_clock;
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
