#include "eval/merged_runs.h"

#include "support/recorded_runs.h"

namespace p2mpp {
namespace {

class MergeRuns : public RunManifestTest {
 protected:
  std::filesystem::path run(const std::string& name, std::initializer_list<SampleResult> results,
                            const RunIdentity& identity = kIdentity,
                            const RunDescription& description = RunDescription::object()) {
    const auto folder = out() / name;
    std::filesystem::create_directory(folder);
    RunManifest(folder, identity, RunManifest::Start::kNew, description).record(std::vector(results));
    return folder;
  }
};

TEST_F(MergeRuns, PutsPartsIntoTheListsOrder) {
  const SampleResult failed = failed_result_of("d", 4);
  const std::vector folders = {run("2", {done("b", 2), failed}), run("1", {done("c", 3), done("a", 1)})};
  const MergedRuns merged = merge_runs(folders);
  ASSERT_EQ(merged.evaluation.results.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(merged.evaluation.results[i].line, i + 1);
  EXPECT_EQ(merged.evaluation.results[3].reason, "no image");
  EXPECT_NEAR(merged.evaluation.compute_seconds, 1e-3, 1e-12);
}

TEST_F(MergeRuns, RootsMayDiffer) {
  const RunIdentity here = identity_with({{"images_root", "/a"}}), there = identity_with({{"images_root", "/b"}});
  EXPECT_EQ(
      merge_runs(std::vector{run("1", {done("a")}, here), run("2", {done("b", 2)}, there)}).evaluation.results.size(),
      2U);
  EXPECT_NE(differences(here, there), "");
}

TEST_F(MergeRuns, TheListHasTheLastWord) {
  const SampleResult failed = failed_result_of("b", 1);
  MergedRuns merged =
      merge_runs(std::vector{run("1", {failed, done("a", 4), done("stray", 5)}), run("2", {done("b", 2)})});
  const auto entry = [](std::size_t line, const std::string& id, const std::string& problem = {}) {
    return ListEntry{.line = line, .id = id, .category = "chair", .model = id, .problem = problem};
  };
  const std::vector entries = {entry(1, "a"), entry(2, "b"), entry(3, "b", "repeats line 2")};
  complete_with_list(entries, merged.evaluation);
  ASSERT_EQ(merged.evaluation.results.size(), 3U);
  EXPECT_EQ(merged.evaluation.results[0].line, 1U);
  EXPECT_EQ(merged.evaluation.results[0].id, "a");
  EXPECT_EQ(merged.evaluation.results[1].status, SampleStatus::kDone);
  EXPECT_EQ(merged.evaluation.results[2].reason, "repeats line 2");
  EXPECT_NEAR(merged.evaluation.compute_seconds, 2e-3 / 3, 1e-12);
  EXPECT_FALSE(merged.evaluation.stopped);
  complete_with_list(std::vector{entry(1, "a"), entry(2, "missing")}, merged.evaluation);
  EXPECT_EQ(merged.evaluation.results.size(), 1U);
  EXPECT_TRUE(merged.evaluation.stopped);
}

TEST_F(MergeRuns, WhatIsDoneAnywhereIsDone) {
  const SampleResult failed = failed_result_of("a", 1);
  for (const auto& folders : {std::vector{run("1", {failed}), run("2", {done("a")})},
                              std::vector{run("3", {done("a")}), run("4", {failed})}}) {
    const MergedRuns merged = merge_runs(folders);
    ASSERT_EQ(merged.evaluation.results.size(), 1U);
    EXPECT_EQ(merged.evaluation.results[0].status, SampleStatus::kDone);
  }
}

TEST_F(MergeRuns, RefusesContradictions) {
  SampleResult other = done("a");
  other.files.begin()->second = std::string(64, 'a');
  EXPECT_THROW(static_cast<void>(merge_runs(std::vector{run("1", {done("a")}), run("2", {other})})), InputError);
  EXPECT_THROW(static_cast<void>(merge_runs(std::vector{run("3", {}), run("4", {}, {{"precision", "bf16"}})})),
               InputError);
  EXPECT_THROW(static_cast<void>(merge_runs(std::vector{out() / "none"})), InputError);
  for (const RunIdentity& identity : {RunIdentity{{"views", "all"}}, RunIdentity{{"images_root", 3}}}) {
    EXPECT_THROW(static_cast<void>(merge_runs(std::vector{run("5", {}, identity)})), InputError) << identity;
  }
}

TEST_F(MergeRuns, KnowsWhereEachMeshIs) {
  const SampleResult failed = failed_result_of("b", 2);
  const RunIdentity here = identity_with({{"images_root", "/a"}, {"views", {1, 2}}, {"frame", "world"}});
  RunIdentity there = here;
  there["images_root"] = "/b";
  there["truth_root"] = "";
  SampleResult unscored = done("b", 2);
  unscored.scores.reset();
  const std::vector folders = {run("1", {done("a"), failed}, here), run("2", {unscored}, there)};
  const MergedRuns merged = merge_runs(folders);
  const PipelineOptions &of_a = merged.find_options(merged.evaluation.results[0]),
                        &of_b = merged.find_options(merged.evaluation.results[1]);
  EXPECT_EQ(of_a.out, folders[0]);
  EXPECT_EQ(of_a.images_root, "/a");
  EXPECT_EQ(of_a.truth_root, "/truth");
  EXPECT_EQ(of_a.reading.trained_views, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(of_a.run.meshes.frame, Frame::kWorld);
  EXPECT_EQ(of_b.out, folders[1]);
  EXPECT_EQ(of_b.images_root, "/b");
}

RunDescription of_shard(const std::string& shard, const std::string& cpu) {
  return {{"settings", {{"list", "list.txt"}, {"shard", shard}}},
          {"batch", {{"chosen", 4}}},
          {"model", {{"name", "m"}}},
          {"environment", {{"cpu", cpu}}}};
}

TEST(MergedDescription, IsWhatAllSay) {
  EXPECT_EQ(merged_description(std::vector{of_shard("1/2", "x"), of_shard("2/2", "x")}), of_shard("1/1", "x"));
  EXPECT_EQ(merged_description(std::vector{of_shard("1/1", "x")}), of_shard("1/1", "x"));
  EXPECT_EQ(merged_description(std::vector{of_shard("1/2", "x")}), of_shard("1/2", "x"));
}

TEST(MergedDescription, NamesDifferencesOnce) {
  const auto merged = merged_description(std::vector{of_shard("1/3", "x"), of_shard("2/3", "y"), of_shard("1/3", "x")});
  EXPECT_EQ(merged["environment"]["cpu"], RunDescription({"x", "y"}));
  EXPECT_EQ(merged["settings"]["shard"], RunDescription({"1/3", "2/3"}));
  EXPECT_EQ(merged["settings"]["list"], "list.txt");
}

TEST(MergedDescription, WhatIsNotThereIsNull) {
  const auto merged =
      merged_description(std::vector{RunDescription::object(), of_shard("1/1", "x"), RunDescription(3)});
  EXPECT_EQ(merged["model"]["name"], RunDescription({nullptr, "m"}));
  EXPECT_EQ(merged_description({})["settings"], RunDescription::object());
}

}  // namespace
}  // namespace p2mpp
