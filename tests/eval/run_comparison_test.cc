#include "eval/run_comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace p2mpp {
namespace {

void add(ResultsByIdAndLine& results, const std::string& id, const std::string& category, double f1, double cd) {
  SampleResult result;
  result.id = id;
  result.line = results.size() + 1;
  result.category = category;
  result.scores.emplace();
  result.scores->vertices.f1_tau = f1;
  result.scores->vertices.f1_2tau = f1 + 10;
  result.scores->vertices.chamfer_distance = cd;
  result.scores->vertices.normal_consistency = 0.5;
  results[{id, result.line}] = result;
}

// Twenty samples of two categories; the first run's scores, or those plus a change that depends on the sample.
ResultsByIdAndLine run(double gain, double noise) {
  ResultsByIdAndLine results;
  for (int i = 0; i < 20; ++i) {
    add(results, std::to_string(100 + i), i < 8 ? "03001627" : "02691156", 50 + i + gain + noise * std::sin(17.0 * i),
        0.001);
  }
  return results;
}

TEST(CompareRuns, FindsNoChangeBetweenEqualRuns) {
  const RunComparison comparison = compare_runs(run(0, 0), run(0, 0));
  ASSERT_EQ(comparison.categories.size(), 3U);
  for (const CategoryChange& each : comparison.categories) {
    EXPECT_EQ(each.f1_tau.change(), 0);
    EXPECT_EQ(each.f1_tau.p_value, 1);
    EXPECT_EQ(each.f1_tau.low, 0);
    EXPECT_EQ(each.f1_tau.high, 0);
  }
  EXPECT_EQ(sample_table(comparison, 5).size(), 1U);
}

TEST(CompareRuns, TellsAGainFromChance) {
  const CategoryChange all = compare_runs(run(0, 0), run(2, 1)).categories.front();
  EXPECT_EQ(all.category, "all");
  EXPECT_EQ(all.count, 20U);
  EXPECT_NEAR(all.f1_tau.change(), 2, 0.3);
  EXPECT_GT(all.f1_tau.low, 1);
  EXPECT_LT(all.f1_tau.high, 3);
  EXPECT_LE(all.f1_tau.p_value, 0.001);
  EXPECT_NEAR(all.f1_2tau.change(), all.f1_tau.change(), 1e-9);
  const CategoryChange noise = compare_runs(run(0, 0), run(0.05, 3)).categories.front();
  EXPECT_LT(noise.f1_tau.low, 0);
  EXPECT_GT(noise.f1_tau.high, 0);
  EXPECT_GT(noise.f1_tau.p_value, 0.2);
}

// The bootstrap's interval of a mean agrees with the normal approximation, which is good for twenty samples.
TEST(CompareRuns, HasTheIntervalOfTheMean) {
  const RunComparison comparison = compare_runs(run(0, 0), run(1, 4));
  double sum = 0, squares = 0;
  for (const SampleChange& each : comparison.samples) {
    sum += each.f1_after - each.f1_before;
    squares += (each.f1_after - each.f1_before) * (each.f1_after - each.f1_before);
  }
  const double mean = sum / 20, error = std::sqrt((squares / 20 - mean * mean) / 20);
  const MeanChange& change = comparison.categories.front().f1_tau;
  EXPECT_NEAR(change.change(), mean, 1e-9);
  EXPECT_NEAR(change.low, mean - 1.96 * error, 0.15 * error);
  EXPECT_NEAR(change.high, mean + 1.96 * error, 0.15 * error);
}

TEST(CompareRuns, OrdersSamplesFromLossToGain) {
  ResultsByIdAndLine before, after;
  for (const auto& [id, gain] : {std::pair("a", 3.0), std::pair("b", -5.0), std::pair("c", 0.0)}) {
    add(before, id, "chairs", 40, 0.001);
    add(after, id, "chairs", 40 + gain, 0.002);
  }
  const RunComparison comparison = compare_runs(before, after);
  EXPECT_EQ(comparison.samples.front().id, "b");
  EXPECT_EQ(comparison.samples.back().id, "a");
  const TableCells table = sample_table(comparison, 2);
  ASSERT_EQ(table.size(), 3U);  // the header; c did not change
  EXPECT_EQ(table[1].front(), "b");
  EXPECT_EQ(table[2].front(), "a");
}

TEST(CompareRuns, CountsSamplesThatOneRunAloneScored) {
  ResultsByIdAndLine before = run(0, 0), after = run(1, 0);
  add(before, "x", "chairs", 10, 0.001);
  after.begin()->second.scores.reset();
  const RunComparison comparison = compare_runs(before, after);
  EXPECT_EQ(comparison.samples.size(), 19U);
  EXPECT_EQ(comparison.only_before, 2U);
  EXPECT_EQ(comparison.only_after, 0U);
  EXPECT_TRUE(compare_runs({}, after).categories.empty());
  EXPECT_EQ(compare_runs({}, after).only_after, 19U);
}

TEST(CompareRuns, LeavesIntervalsOfASingleSampleOpen) {
  ResultsByIdAndLine before, after;
  add(before, "a", "chairs", 40, 0.001);
  add(after, "a", "chairs", 41, 0.001);
  const RunComparison comparison = compare_runs(before, after);
  EXPECT_TRUE(std::isnan(comparison.categories.front().f1_tau.low));
  EXPECT_EQ(change_table(comparison)[1][4], "-");
  EXPECT_TRUE(to_json(comparison)["categories"]["all"]["f1_tau"]["low"].is_number_float());
}

}  // namespace
}  // namespace p2mpp
