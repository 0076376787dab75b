#include "engine/batch_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <random>
#include <thread>

#include "base/machine/host.h"

namespace p2mpp {

namespace {

constexpr int kLargest = 1024;

// A device whose samples a second are given; it remembers which batches it was asked for.
struct FakeDevice {
  std::map<int, double> rates;
  int fits = kLargest;  // samples
  MemoryState memory{.total = 1000, .available = 1000};
  std::uint64_t bytes_a_sample = 0;
  std::vector<int> measured = {};

  BatchChoice choose(double memory_share = 1, int largest = kLargest) {
    const BatchMeter meter{.memory =
                               [&](int batch) {
                                 return BatchMemory{.device = memory,
                                                    .needed = bytes_a_sample * static_cast<std::uint64_t>(batch)};
                               },
                           .samples_per_second =
                               [&](int batch) {
                                 measured.push_back(batch);
                                 return batch <= fits ? std::optional(rates.at(batch)) : std::nullopt;
                               }};
    return choose_batch(meter, memory_share, largest);
  }
};

std::map<int, double> rates_of(const std::function<double(int)>& rate) {
  std::map<int, double> rates;
  for (int batch = 1; batch <= kLargest; batch *= 2) rates[batch] = rate(batch);
  return rates;
}

FakeDevice scaling_device() {
  return {.rates = rates_of([](int batch) { return 1000.0 * batch; })};
}

TEST(BatchChoice, IsOneWhereSamplesAreComputedOneByOne) {
  FakeDevice device{.rates = rates_of([](int) { return 2.5; })};
  const BatchChoice choice = device.choose();
  EXPECT_EQ(choice.batch, 1);
  EXPECT_EQ(device.measured, (std::vector<int>{1, 2}));
  EXPECT_EQ(choice.reason, "2 gain less than 5%");
}

TEST(BatchChoice, IsTheSmallestThatIsNearlyAsFast) {
  FakeDevice device{.rates = {{1, 100}, {2, 180}, {4, 300}, {8, 316}, {16, 318}}};
  const BatchChoice choice = device.choose();
  EXPECT_EQ(choice.batch, 8);
  EXPECT_EQ(choice.reason, "16 gain less than 5%");
  ASSERT_EQ(choice.trials.size(), 5U);
  EXPECT_EQ(choice.trials[2].batch, 4);
  EXPECT_EQ(choice.trials[2].samples_per_second, 300);
  device.rates = {{1, 100}, {2, 180}, {4, 306}, {8, 320}};
  EXPECT_EQ(device.choose().batch, 4) << "320 are less than 5% more";
}

TEST(BatchChoice, EndsAtTheLargestBatch) {
  FakeDevice device = scaling_device();
  EXPECT_EQ(device.choose(1, 64).batch, 64);
  EXPECT_EQ(device.measured.back(), 64);
  EXPECT_EQ(device.choose(1, 64).reason, "64 is the largest batch");
  EXPECT_EQ(device.choose(1, 1).batch, 1);
}

TEST(BatchChoice, KeepsWithinTheShareOfTheMemory) {
  FakeDevice device = scaling_device();
  device.memory = {.total = std::uint64_t{1} << 30U, .available = std::uint64_t{1} << 30U};
  device.bytes_a_sample = std::uint64_t{100} << 20U;
  const BatchChoice choice = device.choose(0.5);
  EXPECT_EQ(choice.batch, 4);
  EXPECT_EQ(choice.trials.back().memory_bytes, std::uint64_t{400} << 20U);
  EXPECT_EQ(choice.reason, "8 would have 0.78 of the memory's 1.00 GiB in use, more than the share 0.5");
  device.memory.available /= 2;  // others have the rest
  EXPECT_EQ(device.choose(0.75).batch, 2);
}

TEST(BatchChoice, IsOneWhereNotEvenThatKeepsWithinTheShare) {
  FakeDevice device = scaling_device();
  device.bytes_a_sample = 900;
  EXPECT_EQ(device.choose(0.5).batch, 1);
  EXPECT_EQ(device.measured, std::vector<int>{1});
}

TEST(BatchChoice, EndsWhereTheMemoryDoes) {
  FakeDevice device = scaling_device();
  device.fits = 5;
  const BatchChoice choice = device.choose();
  EXPECT_EQ(choice.batch, 4);
  EXPECT_EQ(choice.reason, "8 do not fit into memory");
  EXPECT_EQ(device.measured, (std::vector<int>{1, 2, 4, 8}));
}

TEST(BatchChoice, DoesNotMeasureForLong) {
  FakeDevice device{.rates = rates_of([](int batch) { return 2 * std::sqrt(batch); })};
  const BatchChoice choice = device.choose();
  EXPECT_EQ(choice.batch, 4);
  EXPECT_EQ(choice.reason, "8 would take 2.0 s a pass, too long to measure");
}

// For every behaviour of the device.
TEST(BatchChoice, KeepsItsPromisesForRandomDevices) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int round = 0; round < 2000; ++round) {
    const double saturation = std::exp2(12 * unit(random));
    const double noise = round % 2 == 0 ? 0 : 0.3 * unit(random);
    FakeDevice device{.rates = rates_of([&](int batch) {
                        return 20 + 5000 * batch / (batch + saturation) * (1 + noise * (unit(random) - 0.5));
                      })};
    device.fits = static_cast<int>(std::exp2(12 * unit(random)));
    device.memory.available = static_cast<std::uint64_t>(1000 * unit(random));
    device.bytes_a_sample = static_cast<std::uint64_t>(100 * unit(random));
    const double share = 0.05 + 0.95 * unit(random);
    const BatchChoice choice = device.choose(share);

    double highest = 0;
    for (std::size_t i = 0; i < choice.trials.size(); ++i) {
      const BatchTrial& trial = choice.trials[i];
      EXPECT_EQ(trial.batch, 1 << i);
      EXPECT_EQ(trial.samples_per_second, device.rates.at(trial.batch));
      EXPECT_LE(trial.batch, device.fits);
      const auto in_use = static_cast<double>(trial.memory_bytes);
      EXPECT_TRUE(i == 0 || in_use <= share * 1000) << in_use << " " << share;
      if (i + 1 < choice.trials.size() && i > 0) {
        EXPECT_GE(trial.samples_per_second, kWorthwhileGain * highest) << "went on without a gain";
      }
      highest = std::max(highest, trial.samples_per_second);
    }
    EXPECT_FALSE(choice.reason.empty());
    EXPECT_LE(device.measured.size(), choice.trials.size() + 1);
    for (const BatchTrial& trial : choice.trials) {
      const bool is_good = trial.samples_per_second >= kGoodShare * highest;
      EXPECT_TRUE(trial.batch > choice.batch || is_good == (trial.batch == choice.batch)) << trial.batch;
    }
    EXPECT_LE(choice.batch, choice.trials.back().batch);
  }
}

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

}  // namespace
}  // namespace p2mpp
