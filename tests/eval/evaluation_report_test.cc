#include "eval/evaluation_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "eval/json_text.h"
#include "eval/report_data.h"

namespace p2mpp {
namespace {

TEST(EvaluationSummaryTest, CountsEverySampleOnce) {
  const EvaluationSummary summary = summarize(sample_evaluation());
  EXPECT_EQ(summary.listed, 5U);
  EXPECT_EQ(summary.reconstructed, 4U);
  EXPECT_EQ(summary.failed, 1U);
  EXPECT_EQ(summary.not_scored, 1U);
  ASSERT_EQ(summary.failures.size(), 2U);
  EXPECT_EQ(summary.failures[0].id, "lamp_2_00");
  EXPECT_EQ(summary.failures[1].id, "bad");
}

TEST(EvaluationSummaryTest, TimesAreOfSamplesWithAMesh) {
  const EvaluationSummary summary = summarize(sample_evaluation());
  EXPECT_EQ(summary.compute.count, 4U);
  EXPECT_EQ(summary.compute.median, 25);
  EXPECT_EQ(summary.total.median, 28);
  EXPECT_EQ(summary.parts[static_cast<std::size_t>(Part::kDrb)].max, 20);
  EXPECT_EQ(summary.parts[static_cast<std::size_t>(Part::kRead)].mean, 1);
  EXPECT_DOUBLE_EQ(summary.compute_throughput(), 40);
  EXPECT_DOUBLE_EQ(summary.end_to_end_throughput(), 10);
}

TEST(EvaluationSummaryTest, ScoresAreMeansOfScoredSamples) {
  const EvaluationSummary summary = summarize(sample_evaluation());
  const MeanScores all = summary.scores.all();
  EXPECT_EQ(all.count, 3U);
  EXPECT_DOUBLE_EQ(all.mean.vertices.chamfer_distance, 0.003);
  EXPECT_DOUBLE_EQ(all.mean.vertices.f1_tau, 60);
  EXPECT_DOUBLE_EQ(all.mean.surface.f1_2tau, 80);
  const auto by_category = summary.scores.by_category();
  ASSERT_EQ(by_category.size(), 2U);
  EXPECT_EQ(by_category.at("chair").count, 2U);
  EXPECT_DOUBLE_EQ(by_category.at("chair").mean.vertices.chamfer_distance, 0.002);
  EXPECT_DOUBLE_EQ(by_category.at("lamp").mean.vertices.chamfer_distance, 0.005);
}

EvaluationSettings sample_settings() {
  EvaluationSettings settings;
  settings.list = "list.txt";
  settings.limit = 5;
  settings.options.truth_root = "truth";
  settings.options.batch = 4;
  settings.batch_choice = {.batch = 4, .trials = {{1, 10, 7}, {4, 20, 9}}, .reason = "8 do not fit into the memory"};
  settings.batch_at_last = 4;
  settings.memory_share = 0.5;
  settings.device = "cpu";
  settings.precision = "fp32";
  settings.model.name = "chairs";
  return settings;
}

TEST(SummaryDocument, HoldsEverythingThatARunDependsOn) {
  const std::string text = json_text(summary_document(summarize(sample_evaluation()), sample_settings(), {}));
  const auto document = nlohmann::json::parse(text);
  EXPECT_EQ(document["settings"]["list"], "list.txt");
  EXPECT_EQ(document["settings"]["limit"], 5);
  EXPECT_EQ(document["settings"]["batch"], 4);
  EXPECT_EQ(document["batch"]["mode"], "auto");
  EXPECT_EQ(document["batch"]["chosen"], 4);
  EXPECT_EQ(document["batch"]["at_last"], 4);
  EXPECT_EQ(document["batch"]["memory_share"], 0.5);
  EXPECT_EQ(document["batch"]["trials"][1]["memory_bytes"], 9);
  EXPECT_EQ(document["settings"]["frame"], "camera0");
  EXPECT_EQ(document["settings"]["device"], "cpu");
  EXPECT_EQ(document["model"]["name"], "chairs");
  EXPECT_TRUE(document["environment"].contains("commit"));
  EXPECT_EQ(document["samples"]["reconstructed"], 4);
  EXPECT_EQ(document["milliseconds_a_sample"]["total"]["median"], 28);
  for (std::size_t i = 0; i < kPartCount; ++i) {
    const auto& part = document["milliseconds_a_sample"]["parts"][std::string(to_string(static_cast<Part>(i)))];
    EXPECT_TRUE(part["median"].is_number()) << to_string(static_cast<Part>(i));
  }
  EXPECT_EQ(document["throughput"]["samples_per_second_end_to_end"], 10);
  EXPECT_EQ(document["metrics"]["count"], 3);
  EXPECT_EQ(document["metrics"]["surface_points"], 10000);
  EXPECT_EQ(document["metrics"]["by_category"]["chair"]["vertices"]["f1_tau"], 60);
  EXPECT_EQ(document["failures"].size(), 2U);
  EXPECT_EQ(document["failures"][1]["line"], 5);
  EXPECT_EQ(document["failures"][1]["reason"], "a \"quoted\", reason");
}

TEST(BatchLine, TellsTheChoiceAndWhatBecameOfIt) {
  EvaluationSettings settings = sample_settings();
  EXPECT_EQ(batch_line(settings), "\nbatch: 4 (measured; 8 do not fit into the memory)\n");
  settings.batch_choice = {.batch = 16, .trials = {}, .reason = {}};
  EXPECT_EQ(batch_line(settings), "\nbatch: 16; 4 at last, since more did not fit into the memory\n");
  settings.batch_at_last = 16;
  EXPECT_EQ(batch_line(settings), "");
}

TEST(RunIdentityOf, DoesNotHoldTheBatch) {
  EvaluationSettings settings = sample_settings();
  const RunIdentity before = run_identity(settings);
  settings.options.batch = 32;
  settings.batch_choice.batch = 32;
  settings.batch_at_last = 8;
  EXPECT_EQ(differences(before, run_identity(settings)), "") << "a sample's bytes do not depend on it";
}

TEST(SummaryDocument, SaysNullWhereThereIsNothing) {
  Evaluation evaluation;
  evaluation.results = {sample_evaluation().results.back()};
  const auto document =
      nlohmann::json::parse(json_text(summary_document(summarize(evaluation), EvaluationSettings{}, {})));
  EXPECT_TRUE(document["metrics"].is_null());
  EXPECT_TRUE(document["settings"]["truth_root"].is_null());
  EXPECT_TRUE(document["settings"]["limit"].is_null());
  EXPECT_TRUE(document["milliseconds_a_sample"]["total"]["median"].is_null());
  EXPECT_EQ(document["samples"]["failed"], 1);
}

}  // namespace
}  // namespace p2mpp
