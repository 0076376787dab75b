#include "eval/run_manifest.h"

#include <cmath>
#include <fstream>
#include <set>

#include "base/input_file.h"
#include "pipeline/sample_result_json.h"
#include "support/recorded_runs.h"

namespace p2mpp {
namespace {

using namespace std::string_literals;
using Start = RunManifest::Start;

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
  EXPECT_FALSE(again.fit);
  result.fit = FitFigures{24, 23, 0.8125, 0.96875, -0.25, 9, 40, 3, 105.5, "a note"};
  const SampleResult fitted = sample_result_from(nlohmann::json::parse(to_json(result).dump()));
  ASSERT_TRUE(fitted.fit);
  EXPECT_EQ(figures_json(*fitted.fit), figures_json(*result.fit));
  EXPECT_FALSE(fitted.surface);
  result.surface = SurfaceFigures{24, 23, 2, 5, 256, 0.00125, 3, 1, 7, 0.9375, 20, 0.75, 0.5, 0.625, 3500.5, "a note"};
  EXPECT_EQ(figures_json(*sample_result_from(to_json(result)).surface), figures_json(*result.surface));
  EXPECT_EQ(fit_summary(*fitted.fit), "23 masks, IoU 0.81 -> 0.97, 9 steps, 106 ms");
  result.scores.reset();
  EXPECT_FALSE(sample_result_from(to_json(result)).scores);
  result.warnings = {{"distance", 1, "b.png: far"}, {"size", {}, "large"}};
  const std::vector<SampleWarning> warnings = sample_result_from(to_json(result)).warnings;
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_EQ(warnings[0].code, "distance");
  EXPECT_EQ(warnings[0].view, 1U);
  EXPECT_EQ(warnings[0].message, "b.png: far");
  EXPECT_FALSE(warnings[1].view);
  nlohmann::json damaged = to_json(result);
  damaged["warnings"][0]["view"] = -1;
  EXPECT_THROW(static_cast<void>(sample_result_from(damaged)), nlohmann::json::exception);
}

TEST_F(RunManifestTest, WhatIsRecordedIsFinished) {
  record(Start::kNew, {done("a"), done("b")});
  record(Start::kResume, {done("c")});
  const RunManifest manifest(out(), kIdentity, Start::kResume);
  for (const char* id : {"a", "c"}) EXPECT_NE(manifest.find(id), nullptr) << id;
  ASSERT_NE(manifest.find("b"), nullptr);
  EXPECT_EQ(manifest.find("b")->scores->vertices.f1_tau, 66.7);
  EXPECT_EQ(manifest.find("d"), nullptr);
}

TEST_F(RunManifestTest, TheDescriptionIsThatOfTheBeginning) {
  const RunDescription first = {{"settings", {{"batch", 4}}}}, second = {{"settings", {{"batch", 8}}}};
  RunManifest(out(), kIdentity, Start::kNew, first).record(std::vector{done("a")});
  RunManifest(out(), kIdentity, Start::kResume, second).record(std::vector{done("b")});
  const RecordedRun run = read_run(out());
  EXPECT_EQ(run.identity, kIdentity);
  EXPECT_EQ(run.description, first);
  EXPECT_EQ(run.results.size(), 2U);
}

TEST_F(RunManifestTest, AnEarlierRunIsOverwrittenOnlyOnRequest) {
  record(Start::kNew, {done("a")});
  EXPECT_THROW(RunManifest(out(), kIdentity, Start::kNew), UsageError);
  const auto has_a = [&](const RunIdentity& identity, Start start) {
    return RunManifest(out(), identity, start).find("a") != nullptr;
  };
  EXPECT_TRUE(has_a(kIdentity, Start::kResume));
  EXPECT_FALSE(has_a({{"precision", "bf16"}}, Start::kOverwrite));
  EXPECT_FALSE(has_a({{"precision", "bf16"}}, Start::kResume));
  EXPECT_FALSE(has_a(kIdentity, Start::kNew));  // nothing was recorded
}

TEST_F(RunManifestTest, AForeignFileIsRefusedAndKept) {
  const std::string nuls(5000, '\0'), torn_pages = nuls + "}\n";
  for (const std::string& content :
       {"notes\nof mine\n"s, "notes"s, "{\"format\": \"of another\"}\n"s, "{"s, " "s, "\n"s, "\0"s, nuls, torn_pages,
        "{\"format\": \"p2mpp-run\", my notes"s, "{\"format\":\"p2mpp-run\",\"version\":1,\"id"s}) {
    write_file_atomically(file(), content);
    EXPECT_THROW(static_cast<void>(read_run(out())), InputError);
    for (const Start start : {Start::kNew, Start::kResume, Start::kOverwrite}) {
      EXPECT_THROW(RunManifest(out(), kIdentity, start), InputError) << content;
      EXPECT_EQ(slurp(file()), content);
    }
  }
}

// A program that ends between creating the file and giving it its first line leaves it empty.
TEST_F(RunManifestTest, AnEmptyFileBeginsARun) {
  write_file_atomically(file(), "");
  EXPECT_FALSE(is_finished("a"));
  EXPECT_EQ(read_run(out()).identity, kIdentity);
}

TEST_F(RunManifestTest, NoOtherNameOfTheFileIsChanged) {
  record(Start::kNew, {done("a")});
  const std::string before = slurp(file());
  const std::filesystem::path other = out() / "kept.jsonl";
  std::filesystem::create_hard_link(file(), other);
  record(Start::kResume, {done("b")});
  EXPECT_EQ(read_run(out()).results.size(), 2U);
  std::filesystem::remove(file());
  std::filesystem::create_hard_link(other, file());
  record(Start::kOverwrite, {});
  EXPECT_EQ(slurp(other), before);
}

TEST_F(RunManifestTest, OverwritingRemovesTheEarlierResults) {
  record(Start::kNew, {done("a")});
  for (const char* name : kResultFiles) write_file_atomically(out() / name, "of the earlier run");
  record(Start::kResume, {});
  for (const char* name : kResultFiles) EXPECT_TRUE(std::filesystem::exists(out() / name)) << name;
  record(Start::kOverwrite, {});
  for (const char* name : kResultFiles) EXPECT_FALSE(std::filesystem::exists(out() / name)) << name;
}

TEST_F(RunManifestTest, ASparseFileOfATerabyteIsNamedOrDoneAgain) {
  record(Start::kNew, {done("a")});
  std::filesystem::resize_file(out() / "a_predict.obj", std::uintmax_t{1} << 40);
  EXPECT_FALSE(is_finished("a"));
  std::filesystem::resize_file(file(), std::uintmax_t{1} << 40);
  EXPECT_REFUSED(read_run(out()), "manifest.jsonl: has 1099511627776 bytes");
}

TEST_F(RunManifestTest, AnIdThatTheListRepeatsStaysDone) {
  const SampleResult again = failed_result_of("a", 2);
  record(Start::kNew, {done("a"), again});
  EXPECT_TRUE(is_finished("a"));
  EXPECT_EQ(read_run(out()).results.size(), 2U);
}

TEST_F(RunManifestTest, TwoRunsAtOnceAreRefused) {
  const RunManifest one(out(), kIdentity, Start::kNew);
  for (const Start start : {Start::kNew, Start::kResume}) {
    EXPECT_HOLDS(message_of<Error>([&] { const RunManifest two(out(), kIdentity, start); }),
                 "manifest.jsonl: is in use by another run");
  }
}

TEST_F(RunManifestTest, WhatADeadRunLeftHalfWrittenGoes) {
  record(Start::kNew, {done("a")});
  std::ofstream(out() / ".p2mpp-12ab-3f-0.tmp") << "half";
  std::ofstream(out() / ".p2mpp-notes") << "mine";
  EXPECT_TRUE(is_finished("a"));
  EXPECT_FALSE(std::filesystem::exists(out() / ".p2mpp-12ab-3f-0.tmp"));
  EXPECT_TRUE(std::filesystem::exists(out() / ".p2mpp-notes"));
}

TEST_F(RunManifestTest, WhatFailedOrHasOtherFilesIsDoneAgain) {
  const SampleResult failed = failed_result_of("bad", 1);
  SampleResult unscored = done("unscored");
  unscored.status = SampleStatus::kNotScored;
  unscored.scores.reset();
  record(Start::kNew, {failed, unscored, done("good"), done("gone"), done("changed")});
  std::filesystem::remove(out() / "gone_predict.obj");
  write_file_atomically(out() / "changed_predict.obj", "other bytes");
  EXPECT_TRUE(is_finished("good"));
  for (const char* id : {"bad", "unscored", "gone", "changed"}) EXPECT_FALSE(is_finished(id)) << id;
}

TEST_F(RunManifestTest, ATornLastLineIsCutOff) {
  record(Start::kNew, {done("a"), done("b")});
  const std::string whole = slurp(file());
  const std::size_t second = whole.find('\n') + 1, third = whole.find('\n', second) + 1;
  // Every seventeenth length, and those around the ends of lines.
  std::vector<std::size_t> lengths = {second, third - 1, third, third + 1, whole.size() - 1};
  for (std::size_t length = second; length < whole.size(); length += 17) lengths.push_back(length);
  for (const std::size_t length : lengths) {
    std::ofstream(file(), std::ios::binary) << whole.substr(0, length);
    EXPECT_EQ(is_finished("a"), length >= third) << length;
    EXPECT_FALSE(is_finished("b")) << length;
    record(Start::kResume, {done("c")});
    EXPECT_TRUE(is_finished("c")) << length;
  }
}

// A file system may make a file longer before it writes the bytes.
TEST_F(RunManifestTest, PagesThatACrashKeptFromBeingWrittenAreCutOff) {
  record(Start::kNew, {done("a"), done("b")});
  const std::string whole = slurp(file());
  const std::size_t second = whole.find('\n') + 1, third = whole.find('\n', second) + 1;
  const auto expect_with_nuls = [&](std::size_t begin, std::size_t end) {
    std::string torn = whole;
    torn.replace(begin, end - begin, end - begin, '\0');
    std::ofstream(file(), std::ios::binary) << torn;
    EXPECT_EQ(read_run(out()).results.size(), begin < third ? 0U : 1U) << begin;
    EXPECT_EQ(is_finished("a"), begin > third) << begin;
    EXPECT_FALSE(is_finished("b")) << begin;
  };
  expect_with_nuls(second + 5, third + 5);
  expect_with_nuls(third + 5, third + 20);
}

TEST_F(RunManifestTest, AnotherIdentityIsRefusedWithTheDifference) {
  record(Start::kNew, {done("a")});
  const RunIdentity another = identity_with({{"precision", "bf16"}, {"views", {0, 6, 7}}, {"frame", "world"}});
  EXPECT_REFUSED(RunManifest(out(), another, Start::kResume),
                 "precision was \"fp32\", is \"bf16\"; frame was nothing, is \"world\"");
}

// Of a text whose characters each stand for a byte, U+0000 to U+00FF.
std::string bytes_of(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    bytes += lead < 0x80 ? text[i] : static_cast<char>((lead & 3) << 6 | (text[++i] & 0x3f));
  }
  return bytes;
}

TEST_F(RunManifestTest, WholeTornDamagedAndForeignManifestsGetTheirVerdicts) {
  write_file_atomically(out() / "a_predict.obj", "a");
  for (const RunIdentity& one : RunIdentity::parse(slurp(P2MPP_TEST_DATA "/manifests.json"))) {
    SCOPED_TRACE(one["name"]);
    std::string content;
    for (const RunIdentity& line : one["manifest"]) content += bytes_of(line);
    write_file_atomically(file(), content);
    if (one.contains("finished")) {
      const auto finished = one["finished"].get<std::set<std::string>>();
      const RunManifest manifest(out(), one["identity"], Start::kResume);
      for (const std::string& id : finished) EXPECT_NE(manifest.find(id), nullptr) << id;
      for (const auto& [place, result] : read_run(out()).results) {
        EXPECT_EQ(manifest.find(result.id) != nullptr, finished.contains(result.id)) << result.id;
      }
      continue;
    }
    EXPECT_REFUSED(RunManifest(out(), kIdentity, Start::kResume), one["refused"].get<std::string>());
    EXPECT_THROW(static_cast<void>(read_run(out())), InputError);
    EXPECT_EQ(slurp(file()), content);
  }
}

}  // namespace
}  // namespace p2mpp
