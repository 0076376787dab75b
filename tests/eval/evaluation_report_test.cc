#include "eval/evaluation_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "base/json_text.h"
#include "support/messages.h"
#include "support/report_data.h"

namespace p2mpp {
namespace {

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

TEST(EvaluationSummaryTest, TheWallClockIsOfThisRunAlone) {
  Evaluation evaluation = sample_evaluation();
  evaluation.earlier = 2;
  evaluation.stopped = true;
  const EvaluationSummary summary = summarize(evaluation);
  EXPECT_EQ(summary.earlier, 2U);
  EXPECT_TRUE(summary.stopped);
  EXPECT_DOUBLE_EQ(summary.end_to_end_throughput(), 5);
  EXPECT_DOUBLE_EQ(summary.compute_throughput(), 40);
}

EvaluationSettings sample_settings() {
  EvaluationSettings settings;
  settings.list = "list.txt";
  settings.limit = 5;
  settings.shard = {2, 3};
  settings.options.images_root = "images";
  settings.options.truth_root = "truth";
  settings.options.out = "out";
  settings.options.reading.trained_views = {0, 6, 7};
  settings.options.batch = 4;
  settings.options.run.meshes.frame = Frame::kWorld;
  settings.batch_choice = {.batch = 4, .trials = {{1, 10, 7}, {4, 20, 9}}, .reason = "8 do not fit into memory"};
  settings.batch_at_last = 4;
  settings.memory_share = 0.5;
  settings.device = "cpu";
  settings.backend = "fused";
  settings.precision = "fp32";
  settings.threads = 2;
  settings.model.name = "chairs";
  return settings;
}

nlohmann::json document_of(const Evaluation& evaluation) {
  return nlohmann::json::parse(
      json_text(summary_document(summarize(evaluation), run_description(sample_settings(), {}))));
}

std::set<std::string> names(const nlohmann::json& object) {
  std::set<std::string> names;
  for (const auto& [name, unused] : object.items()) names.insert(name);
  return names;
}

// The fields on which a reader of summary.json may rely.
TEST(SummaryDocument, HoldsEveryField) {
  const auto document = document_of(sample_evaluation());
  EXPECT_EQ(names(document),
            (std::set<std::string>{"settings", "batch", "model", "environment", "stopped", "samples",
                                   "milliseconds_a_sample", "throughput", "metrics", "failures", "warnings"}));
  EXPECT_EQ(document["settings"], nlohmann::json::parse(R"({"list": "list.txt", "images_root": "images",
      "truth_root": "truth", "out": "out", "limit": 5, "shard": "2/3", "frame": "world", "formats": ["obj", "xyz"],
      "normals": false, "views": [0, 6, 7], "batch": 4,
      "device": "cpu", "backend": "fused", "precision": "fp32", "threads": 2, "stage_views": [0, 0], "stage2": true,
      "detail": null, "background": "auto", "refine_poses": true, "refine_masks": true, "fit_views": "none", "fit_steps": null, "initial": "ellipsoid", "target_vertices": null,
      "surface": "template", "resolution": null, "surface_vertices": null})"));
  EXPECT_EQ(names(document["model"]), (std::set<std::string>{"name", "semantics", "weights_from", "views", "folder"}));
  EXPECT_EQ(document["batch"]["chosen"], 4);
  EXPECT_EQ(document["batch"]["at_last"], 4);
  EXPECT_EQ(document["batch"]["memory_share"], 0.5);
  EXPECT_EQ(document["stopped"], false);
  EXPECT_EQ(document["samples"], nlohmann::json::parse(R"({"listed": 5, "reconstructed": 4, "failed": 1,
      "not_scored": 1, "done_earlier": 0})"));
  EXPECT_EQ(names(document["milliseconds_a_sample"]), (std::set<std::string>{"total", "compute", "parts"}));
  EXPECT_EQ(document["milliseconds_a_sample"]["parts"].size(), kPartCount);
  EXPECT_EQ(document["throughput"],
            nlohmann::json::parse(R"({"samples_per_second_computing": 40.0, "samples_per_second_end_to_end": 10.0,
      "compute_seconds": 0.1, "wall_seconds": 0.4})"));
  EXPECT_EQ(names(document["metrics"]), (std::set<std::string>{"tau", "surface_points", "surface_seed", "count",
                                                               "vertices", "surface", "coarse", "by_category"}));
  EXPECT_EQ(document["failures"], nlohmann::json::parse(R"([
      {"line": 4, "id": "lamp_2_00", "status": "not_scored", "reason": "no truth"},
      {"line": 5, "id": "bad", "status": "failed", "reason": "a \"quoted\", reason"}])"));
}

// Of merged runs nobody knows how long they took together.
TEST(SummaryDocument, AWallClockThatIsNotKnownIsNull) {
  Evaluation evaluation = sample_evaluation();
  evaluation.wall_seconds = std::numeric_limits<double>::quiet_NaN();
  evaluation.stopped = true;
  evaluation.earlier = 2;
  const auto document = document_of(evaluation);
  EXPECT_EQ(document["stopped"], true);
  EXPECT_EQ(document["samples"]["done_earlier"], 2);
  EXPECT_TRUE(document["throughput"]["wall_seconds"].is_null());
  EXPECT_TRUE(document["throughput"]["samples_per_second_end_to_end"].is_null());
  EXPECT_EQ(document["throughput"]["samples_per_second_computing"], 40);
}

TEST(BatchLine, TellsTheChoiceAndWhatBecameOfIt) {
  EvaluationSettings settings = sample_settings();
  EXPECT_EQ(batch_line(settings), "\nbatch: 4 (measured; 8 do not fit into memory)\n");
  settings.batch_choice = {.batch = 16, .trials = {}, .reason = {}};
  EXPECT_EQ(batch_line(settings), "\nbatch: 16; reduced to 4, because more did not fit into memory\n");
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

TEST(RunIdentityOf, HoldsTheFitOnlyWhereThereIsOne) {
  EvaluationSettings settings = sample_settings();
  const RunIdentity none = run_identity(settings);
  EXPECT_FALSE(none.contains("fit_views")) << "older runs go on";
  settings.options.run.fit_steps = 3;
  EXPECT_EQ(differences(none, run_identity(settings)), "");
  settings.options.run.fit = parse_fit_views("all");
  const RunIdentity all = run_identity(settings);
  EXPECT_EQ(differences(none, all), "fit_views was nothing, is \"all\"; fit_steps was nothing, is 3");
  settings.options.run.fit = parse_fit_views("0,2");
  settings.options.run.fit_steps = 4;
  EXPECT_EQ(differences(all, run_identity(settings)), "fit_views was \"all\", is \"0,2\"; fit_steps was 3, is 4");
  const RunIdentity ellipsoid = run_identity(settings);
  settings.options.run.initial.target_vertices = 900;
  EXPECT_EQ(differences(ellipsoid, run_identity(settings)), "");
  settings.options.run.initial.kind = InitialShape::Kind::kHull;
  EXPECT_EQ(differences(ellipsoid, run_identity(settings)),
            "initial was nothing, is \"hull\"; target_vertices was nothing, is 900");
  settings.options.run.initial.kind = InitialShape::Kind::kFile;
  settings.options.start.sha256 = "abc";
  EXPECT_EQ(differences(ellipsoid, run_identity(settings)),
            "initial was nothing, is \"abc\"; initial_frame was nothing, is \"world\"");
}

TEST(RunIdentityOf, HoldsTheViewsOfStagesOnlyWhereTheyDiffer) {
  EvaluationSettings settings = sample_settings();
  const RunIdentity all = run_identity(settings);
  settings.options.stage_views = {.stage1 = 3, .stage2 = 0};
  EXPECT_EQ(differences(all, run_identity(settings)), "stage_views was nothing, is [3,0]");
}

TEST(RunIdentityOf, HoldsTheCalibrationInEightBits) {
  EvaluationSettings settings;
  for (const auto& [precision, differs] : {std::pair("bf16", false), std::pair("fp8", true)}) {
    settings.precision = precision;
    settings.model.fp8_largest_inputs = {{1, 2}};
    const RunIdentity before = run_identity(settings);
    settings.model.fp8_largest_inputs = {{1, 3}};
    EXPECT_EQ(!differences(before, run_identity(settings)).empty(), differs);
  }
}

TEST(SummaryDocument, SaysNullWhereThereIsNothing) {
  Evaluation evaluation;
  evaluation.results = {sample_evaluation().results.back()};
  const auto document =
      nlohmann::json::parse(json_text(summary_document(summarize(evaluation), run_description({}, {}))));
  EXPECT_TRUE(document["metrics"].is_null());
  EXPECT_TRUE(document["settings"]["truth_root"].is_null());
  EXPECT_TRUE(document["settings"]["limit"].is_null());
  EXPECT_TRUE(document["milliseconds_a_sample"]["total"]["median"].is_null());
  EXPECT_EQ(document["samples"]["failed"], 1);
}

TEST(ResultsCsv, HasALineForEachSample) {
  const auto lines = lines_of(results_csv(sample_evaluation()));
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_TRUE(lines[0].starts_with("id,line,category,status,reason,total_ms,compute_ms,read_ms,preprocess_ms,"))
      << lines[0];
  EXPECT_TRUE(lines[0].ends_with(",coarse_normal_consistency")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("chair_1_00,1,chair,done,,13,10,1,0,")) << lines[1];
  EXPECT_HOLDS(lines[1], ",0.001,60,");
  EXPECT_TRUE(lines[4].starts_with("lamp_2_00,4,lamp,not_scored,no truth,43,40,")) << lines[4];
  EXPECT_TRUE(lines[5].starts_with("bad,5,,failed,\"a \"\"quoted\"\", reason\",,,")) << lines[5];
  const auto commas = std::ranges::count(lines[0], ',');
  for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(std::ranges::count(lines[i], ','), commas) << lines[i];
  EXPECT_EQ(std::ranges::count(lines[5], ','), commas + 1) << lines[5];  // one within quotes
}

// Without a fit the header is as it was.
TEST(ResultsCsv, HasTheFiguresOfFitsAndVolumes) {
  Evaluation evaluation = sample_evaluation();
  EXPECT_EQ(results_csv(evaluation).find("fit_"), std::string::npos);
  evaluation.results[1].fit = FitFigures{24, 23, 0.8125, 0.96875, -0.25, 9, 40, 3, 105.5, "a note"};
  const auto lines = lines_of(results_csv(evaluation));
  EXPECT_TRUE(
      lines[0].ends_with(",fit_masks,fit_used,fit_iou_before,fit_iou_after,fit_mask_correction,fit_steps,"
                         "fit_intersecting_before,fit_intersecting_after,fit_milliseconds"))
      << lines[0];
  EXPECT_TRUE(lines[2].ends_with(",24,23,0.8125,0.96875,-0.25,9,40,3,105.5")) << lines[2];
  EXPECT_TRUE(lines[1].ends_with(",,,,,,,,,")) << lines[1];
  const EvaluationSummary summary = summarize(evaluation);
  ASSERT_EQ(summary.fit.size(), 9U);
  EXPECT_EQ(summary.fit[3].first, "iou_after");
  EXPECT_EQ(summary.fit[3].second.mean, 0.96875);
  EXPECT_EQ(document_of(evaluation)["fit"]["steps"]["count"], 1);
  EXPECT_FALSE(document_of(sample_evaluation()).contains("fit"));
  evaluation.results[0].surface =
      SurfaceFigures{24, 23, 2, 5, 256, 0.00125, 3, 1, 7, 0.9375, 20, 0.75, 0.5, 0.625, 3500.5, "a note"};
  const auto volumes = lines_of(results_csv(evaluation));
  EXPECT_TRUE(
      volumes[0].ends_with(",fit_milliseconds,volume_masks,volume_used,volume_allowance,volume_overruled,"
                           "volume_resolution,volume_voxel,volume_parts,volume_dropped,volume_steps,volume_iou,"
                           "volume_photographs,volume_refined,volume_agreement_before,volume_agreement_after,"
                           "volume_milliseconds"))
      << volumes[0];
  EXPECT_TRUE(volumes[1].ends_with(",,,,,,,,,,24,23,2,5,256,0.00125,3,1,7,0.9375,20,0.75,0.5,0.625,3500.5"))
      << volumes[1];
  EXPECT_TRUE(volumes[2].ends_with(",9,40,3,105.5,,,,,,,,,,,,,,,")) << volumes[2];
  EXPECT_EQ(document_of(evaluation)["volume"]["resolution"]["mean"], 256);
  EXPECT_FALSE(document_of(sample_evaluation()).contains("volume"));
}

TEST(TimeTable, HasTheTotalAndEveryPart) {
  const TableCells rows = time_table(summarize(sample_evaluation()));
  ASSERT_EQ(rows.size(), 3 + kPartCount);
  EXPECT_EQ(rows[1][0], "total");
  EXPECT_EQ(rows[1][4], "28.00");
  EXPECT_EQ(rows[2][0], "  read");
  EXPECT_EQ(rows[3][0], "  compute");
  EXPECT_EQ(rows[4][0], "    preprocess");
  EXPECT_EQ(rows.back()[0], "  write");
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
}

}  // namespace

}  // namespace p2mpp
