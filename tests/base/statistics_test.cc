#include "base/numbers/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

namespace p2mpp {
namespace {

// Expected values: numpy 2's mean, std(ddof=1), median and percentile of the same numbers.
TEST(Summarize, GivesWhatNumpyGives) {
  const Statistics result = summarize({84.4, 76.3, 91.9, 80.25, 79.5, 101.125, 83.0, 77.75});
  EXPECT_EQ(result.count, 8U);
  EXPECT_DOUBLE_EQ(result.mean, 84.278125);
  EXPECT_DOUBLE_EQ(result.standard_deviation, 8.357048324404293);
  EXPECT_DOUBLE_EQ(result.min, 76.3);
  EXPECT_DOUBLE_EQ(result.median, 81.625);
  EXPECT_DOUBLE_EQ(result.p95, 97.89625);
  EXPECT_DOUBLE_EQ(result.p99, 100.47925);
  EXPECT_DOUBLE_EQ(result.max, 101.125);
}

TEST(Summarize, OneValueHasNoDeviationAndNoValueNoFigure) {
  const Statistics result = summarize({3});
  EXPECT_EQ(result.median, 3);
  EXPECT_EQ(result.p99, 3);
  EXPECT_TRUE(std::isnan(result.standard_deviation));
  const Statistics none = summarize({});
  EXPECT_EQ(none.count, 0U);
  EXPECT_TRUE(std::isnan(none.mean));
  EXPECT_EQ(to_json(none)["p95"].dump(), "null");
}

TEST(Summarize, DoesNotDependOnTheOrder) {
  std::mt19937 random(3);
  std::vector<double> values(101);
  for (double& value : values) value = static_cast<double>(random() % 1000);
  const Statistics before = summarize(values);
  std::ranges::shuffle(values, random);
  const Statistics after = summarize(values);
  EXPECT_EQ(before.median, after.median);
  EXPECT_EQ(before.p99, after.p99);
  EXPECT_EQ(before.mean, after.mean);
  EXPECT_LE(before.min, before.median);
  EXPECT_LE(before.median, before.p95);
  EXPECT_LE(before.p95, before.p99);
  EXPECT_LE(before.p99, before.max);
}

TEST(Percentile, InterpolatesBetweenRanks) {
  const std::vector<double> values = {1, 2, 4, 8, 16};
  EXPECT_DOUBLE_EQ(percentile(values, 0), 1);
  EXPECT_DOUBLE_EQ(percentile(values, 12.5), 1.5);
  EXPECT_DOUBLE_EQ(percentile(values, 50), 4);
  EXPECT_DOUBLE_EQ(percentile(values, 95), 14.4);
  EXPECT_DOUBLE_EQ(percentile(values, 100), 16);
  EXPECT_TRUE(std::isnan(percentile({}, 50)));
}

TEST(StatisticsJson, HasEveryFigure) {
  const auto json = to_json(summarize({1, 2, 3}));
  EXPECT_EQ(json["count"], 3);
  EXPECT_EQ(json["mean"], 2);
  EXPECT_EQ(json["standard_deviation"], 1);
  EXPECT_EQ(json["min"], 1);
  EXPECT_EQ(json["median"], 2);
  EXPECT_EQ(json["max"], 3);
  EXPECT_DOUBLE_EQ(json["p95"].get<double>(), 2.9);
  EXPECT_DOUBLE_EQ(json["p99"].get<double>(), 2.98);
}

}  // namespace
}  // namespace p2mpp
