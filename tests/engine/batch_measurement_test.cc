#include "engine/batch_measurement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace p2mpp {
namespace {

using std::chrono::milliseconds;

// A call takes 16 ms and 1 ms a sample; more than `fits` are computed in parts.
class FakeBackend : public SynchronousBackend {
 public:
  std::vector<Reconstruction> compute(std::span<const Sample> batch, PartTimes& /*times*/,
                                      Intermediates* /*intermediates*/) override {
    std::this_thread::sleep_for(milliseconds(16 + batch.size()));
    views = batch.front().views.size();
    calls.push_back(batch.size());
    if (batch.size() > fits) largest = std::min(largest, batch.size() / 4);
    return std::vector<Reconstruction>(batch.size());
  }
  BatchMemory memory_for(std::size_t samples, std::size_t /*views*/) override {
    return {.device = {.total = 1000, .available = 900}, .needed = samples};
  }
  [[nodiscard]] std::size_t largest_batch() const override { return largest; }

  std::size_t fits = 1000;
  std::size_t largest = 1000;
  std::size_t views = 0;
  std::vector<std::size_t> calls;
};

TEST(BatchMeasurement, FindsWhatComputesFaster) {
  FakeBackend backend;
  const BatchChoice choice = measure_batch(backend, 4, 0.85, 8);
  EXPECT_EQ(choice.batch, 8);
  EXPECT_EQ(backend.views, 4U);
  ASSERT_EQ(choice.trials.size(), 4U);
  EXPECT_LT(choice.trials[0].samples_per_second, 1000.0 / 17);
  EXPECT_GT(choice.trials[3].samples_per_second, 2 * choice.trials[0].samples_per_second);
  EXPECT_EQ(choice.trials[3].memory_bytes, 108U);
  EXPECT_GE(std::ranges::count(backend.calls, 8U), 2);
  EXPECT_EQ(choice.reason, "8 is the largest batch");
}

TEST(BatchMeasurement, TakesWhatFits) {
  FakeBackend backend;
  backend.fits = 3;
  const BatchChoice choice = measure_batch(backend, 3, 0.85, 8);
  EXPECT_EQ(choice.reason, "4 do not fit into memory");
  EXPECT_EQ(choice.trials.size(), 2U);
  EXPECT_EQ(choice.batch, 1) << "2 fitted before, but no longer";
  EXPECT_EQ(std::ranges::count(backend.calls, 4U), 1);
}

TEST(BatchMeasurement, CountsWhatOthersUse) {
  FakeBackend backend;
  EXPECT_EQ(measure_batch(backend, 3, 0.103, 8).batch, 2);
}

TEST(BlankSample, HasViewsAllAround) {
  const Sample sample = blank_sample(3);
  ASSERT_EQ(sample.views.size(), 3U);
  EXPECT_EQ(sample.views[2].row->azimuth_deg, 240);
  EXPECT_EQ(sample.views[0].image.rgba.size(), kTypicalImageBytes);
}

}  // namespace
}  // namespace p2mpp
