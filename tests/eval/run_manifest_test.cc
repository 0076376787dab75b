#include "eval/run_manifest.h"

#include <cmath>
#include <fstream>

#include "eval/evaluation_fixture.h"
#include "eval/merged_runs.h"
#include "eval/sample_result_json.h"
#include "model/sha256.h"

namespace p2mpp {
namespace {

using Start = RunManifest::Start;

const RunIdentity kIdentity = {{"precision", "fp32"}, {"views", {0, 6, 7}}};

SampleResult result_of(const std::string& id, std::size_t line) {
  SampleResult result;
  result.line = line;
  result.id = id;
  result.category = "chair";
  result.compute_ms = 1.0 / 3;
  result.times[Part::kDrb] = 0.1;
  result.scores = Scores{.vertices = {.chamfer_distance = 1e-7 / 3, .f1_tau = 66.7}, .surface = {}, .coarse = {}};
  return result;
}

class RunManifestTest : public testing::Test {
 protected:
  // Its files are there, too.
  SampleResult done(const std::string& id, std::size_t line = 1) {
    SampleResult result = result_of(id, line);
    write_file_atomically(out() / (id + "_predict.obj"), id);
    result.files[id + "_predict.obj"] = sha256_hex(id);
    return result;
  }

  void record(Start start, std::initializer_list<SampleResult> results) {
    RunManifest(out(), kIdentity, start).record(std::vector(results));
  }

  [[nodiscard]] std::filesystem::path out() const { return folder_.path(); }
  [[nodiscard]] std::filesystem::path file() const { return out() / "manifest.jsonl"; }

  TemporaryFolder folder_;
};

TEST(SampleResultJson, GivesTheSameAgain) {
  SampleResult result = result_of("chair_1_00", 7);
  result.status = SampleStatus::kNotScored;
  result.reason = "no \"truth\"\n";
  result.files = {{"a.obj", "12"}};
  const SampleResult again = sample_result_from(nlohmann::json::parse(to_json(result).dump()));
  EXPECT_EQ(again.line, 7U);
  EXPECT_EQ(again.id, result.id);
  EXPECT_EQ(again.category, result.category);
  EXPECT_EQ(again.status, result.status);
  EXPECT_EQ(again.reason, result.reason);
  EXPECT_EQ(again.times.milliseconds, result.times.milliseconds);
  EXPECT_EQ(again.compute_ms, result.compute_ms);
  EXPECT_EQ(again.files, result.files);
  EXPECT_EQ(again.scores->vertices.chamfer_distance, result.scores->vertices.chamfer_distance);
  EXPECT_TRUE(std::isnan(again.scores->vertices.normal_consistency));
  result.scores.reset();
  EXPECT_FALSE(sample_result_from(to_json(result)).scores);
}

TEST_F(RunManifestTest, WhatIsRecordedIsFinished) {
  record(Start::kNew, {done("a"), done("b")});
  record(Start::kResume, {done("c")});
  const RunManifest manifest(out(), kIdentity, Start::kResume);
  EXPECT_EQ(manifest.finished_count(), 3U);
  ASSERT_NE(manifest.find("b"), nullptr);
  EXPECT_EQ(manifest.find("b")->scores->vertices.f1_tau, 66.7);
  EXPECT_EQ(manifest.find("d"), nullptr);
}

TEST_F(RunManifestTest, ANewRunForgetsTheOldOne) {
  record(Start::kNew, {done("a")});
  EXPECT_EQ(RunManifest(out(), kIdentity, Start::kNew).finished_count(), 0U);
  EXPECT_EQ(RunManifest(out(), {{"precision", "bf16"}}, Start::kNew).finished_count(), 0U);
  EXPECT_EQ(RunManifest(out(), {{"precision", "bf16"}}, Start::kResume).finished_count(), 0U);
}

TEST_F(RunManifestTest, AnIdThatTheListRepeatsStaysDone) {
  SampleResult again = result_of("a", 2);
  again.status = SampleStatus::kFailed;
  again.reason = "repeats line 1";
  record(Start::kNew, {done("a"), again});
  EXPECT_NE(RunManifest(out(), kIdentity, Start::kResume).find("a"), nullptr);
  EXPECT_EQ(read_run(out()).results.size(), 2U);
}

TEST_F(RunManifestTest, TwoRunsAtOnceAreRefused) {
  const RunManifest one(out(), kIdentity, Start::kNew);
  for (const Start start : {Start::kNew, Start::kResume}) {
    try {
      const RunManifest two(out(), kIdentity, start);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("manifest.jsonl: is in use by another run"), std::string::npos);
    }
  }
}

TEST_F(RunManifestTest, WhatADeadRunLeftHalfWrittenGoes) {
  record(Start::kNew, {done("a")});
  std::ofstream(out() / ".p2mpp-12ab-3f-0.tmp") << "half";
  std::ofstream(out() / ".p2mpp-notes") << "mine";
  EXPECT_EQ(RunManifest(out(), kIdentity, Start::kResume).finished_count(), 1U);
  EXPECT_FALSE(std::filesystem::exists(out() / ".p2mpp-12ab-3f-0.tmp"));
  EXPECT_TRUE(std::filesystem::exists(out() / ".p2mpp-notes"));
}

TEST_F(RunManifestTest, WhatFailedOrHasOtherFilesIsDoneAgain) {
  SampleResult failed = result_of("bad", 1), unscored = done("unscored");
  failed.status = SampleStatus::kFailed;
  unscored.status = SampleStatus::kNotScored;
  record(Start::kNew, {failed, unscored, done("good"), done("gone"), done("changed")});
  std::filesystem::remove(out() / "gone_predict.obj");
  write_file_atomically(out() / "changed_predict.obj", "other bytes");
  const RunManifest manifest(out(), kIdentity, Start::kResume);
  EXPECT_EQ(manifest.finished_count(), 1U);
  EXPECT_NE(manifest.find("good"), nullptr);
}

TEST_F(RunManifestTest, ATornLastLineIsCutOff) {
  record(Start::kNew, {done("a"), done("b")});
  const std::string whole = read_text(file());
  const std::size_t second = whole.find('\n') + 1, third = whole.find('\n', second) + 1;
  for (std::size_t length = second; length < whole.size(); ++length) {
    std::ofstream(file(), std::ios::binary) << whole.substr(0, length);
    {
      const RunManifest manifest(out(), kIdentity, Start::kResume);
      EXPECT_EQ(manifest.finished_count(), length < third ? 0U : 1U) << length;
    }
    record(Start::kResume, {done("c")});
    EXPECT_NE(RunManifest(out(), kIdentity, Start::kResume).find("c"), nullptr) << length;
  }
}

TEST_F(RunManifestTest, ATornHeaderBeginsANewRun) {
  record(Start::kNew, {});
  const std::string whole = read_text(file());
  std::ofstream(file(), std::ios::binary) << whole.substr(0, whole.size() / 2);
  EXPECT_EQ(RunManifest(out(), kIdentity, Start::kResume).finished_count(), 0U);
  EXPECT_EQ(read_text(file()), whole);
}

TEST_F(RunManifestTest, AnotherIdentityIsRefusedWithTheDifference) {
  record(Start::kNew, {done("a")});
  try {
    RunManifest(out(), {{"precision", "bf16"}, {"views", {0, 6, 7}}, {"frame", "world"}}, Start::kResume);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("precision was \"fp32\", is \"bf16\"; frame was nothing, is \"world\""),
              std::string::npos)
        << error.what();
  }
}

TEST_F(RunManifestTest, DamageIsNamedByItsLine) {
  record(Start::kNew, {done("a")});
  for (const char* line : {"{\"id\": 3}\n", "nonsense\n", "[]\n"}) {
    const std::string before = read_text(file());
    std::ofstream(file(), std::ios::app) << line;
    try {
      RunManifest(out(), kIdentity, Start::kResume);
      ADD_FAILURE() << line;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("manifest.jsonl:3: is damaged"), std::string::npos) << error.what();
    }
    std::ofstream(file(), std::ios::binary) << before;
  }
}

TEST_F(RunManifestTest, AFolderThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(RunManifest(out() / "missing", kIdentity, Start::kNew), Error);
}

class MergeRuns : public RunManifestTest {
 protected:
  std::filesystem::path run(const std::string& name, std::initializer_list<SampleResult> results,
                            const RunIdentity& identity = kIdentity) {
    const auto folder = out() / name;
    std::filesystem::create_directory(folder);
    RunManifest(folder, identity, Start::kNew).record(std::vector(results));
    return folder;
  }
};

TEST_F(MergeRuns, PutsPartsIntoTheListsOrder) {
  SampleResult failed = result_of("d", 4);
  failed.status = SampleStatus::kFailed;
  failed.reason = "no image";
  const std::vector folders = {run("2", {done("b", 2), failed}), run("1", {done("c", 3), done("a", 1)})};
  const MergedRuns merged = merge_runs(folders);
  ASSERT_EQ(merged.evaluation.results.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(merged.evaluation.results[i].line, i + 1);
  EXPECT_EQ(merged.evaluation.results[3].reason, "no image");
  EXPECT_NEAR(merged.evaluation.compute_seconds, 1e-3, 1e-12);
  EXPECT_EQ(merged.identity, kIdentity);
}

TEST_F(MergeRuns, RootsMayDiffer) {
  const RunIdentity here = {{"precision", "fp32"}, {"images_root", "/a"}},
                    there = {{"precision", "fp32"}, {"images_root", "/b"}};
  EXPECT_EQ(
      merge_runs(std::vector{run("1", {done("a")}, here), run("2", {done("b", 2)}, there)}).evaluation.results.size(),
      2U);
  EXPECT_NE(differences(here, there), "");
}

TEST_F(MergeRuns, TheListHasTheLastWord) {
  SampleResult failed = result_of("b", 1);
  failed.status = SampleStatus::kFailed;
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
  SampleResult failed = result_of("a", 1);
  failed.status = SampleStatus::kFailed;
  for (const auto& folders : {std::vector{run("1", {failed}), run("2", {done("a")})},
                              std::vector{run("3", {done("a")}), run("4", {failed})}}) {
    const MergedRuns merged = merge_runs(folders);
    ASSERT_EQ(merged.evaluation.results.size(), 1U);
    EXPECT_EQ(merged.evaluation.results[0].status, SampleStatus::kDone);
  }
}

TEST_F(MergeRuns, RefusesContradictions) {
  SampleResult other = done("a");
  other.files.begin()->second = "another hash";
  EXPECT_THROW(static_cast<void>(merge_runs(std::vector{run("1", {done("a")}), run("2", {other})})), InputError);
  EXPECT_THROW(static_cast<void>(merge_runs(std::vector{run("3", {}), run("4", {}, {{"precision", "bf16"}})})),
               InputError);
  EXPECT_THROW(static_cast<void>(merge_runs(std::vector{out() / "none"})), InputError);
}

}  // namespace
}  // namespace p2mpp
