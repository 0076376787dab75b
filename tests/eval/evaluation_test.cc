#include "eval/evaluation.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "support/evaluation_fixture.h"

namespace p2mpp {
namespace {

class EvaluationTest : public EvaluationFixture {
 protected:
  Evaluation run(const std::vector<ListEntry>& entries) { return run(entries, {}, trace_); }

  Evaluation run(const std::vector<ListEntry>& entries, const StepThreads& threads, Trace& trace) {
    const EvaluationObserver observer{.on_result = [this](const SampleResult& result) { told_.push_back(result.id); },
                                      .on_batch = on_batch_,
                                      .stop_requested = [this] { return stop_requested_.load(); }};
    return evaluate(entries, options_, threads, engine_, trace, observer);
  }

  // Every second one is bad in its own way.
  std::vector<ListEntry> hostile_list() {
    std::vector<ListEntry> entries;
    for (int i = 0; i < 5; ++i) {
      entries.push_back(add_sample("chair", "good" + std::to_string(i)));
      add_truth(entries.back());
    }
    ListEntry duplicate = entries[0];
    duplicate.problem = "is a duplicate";
    entries.insert(entries.begin() + 1, duplicate);
    entries.insert(entries.begin() + 3,
                   {.line = 9, .id = "lamp_gone_00", .category = "lamp", .model = "gone", .problem = {}});
    entries.insert(entries.begin() + 5, add_sample("lamp", "wild", 359));
    return entries;
  }

  std::vector<ListEntry> good_list(int count) {
    std::vector<ListEntry> entries;
    for (int i = 0; i < count; ++i) entries.push_back(add_sample("chair", "good" + std::to_string(i)));
    return entries;
  }

  std::vector<std::string> told_;
  std::function<void(std::span<const SampleResult>)> on_batch_ = [](std::span<const SampleResult>) {};
  std::atomic<bool> stop_requested_ = false;
};

TEST_F(EvaluationTest, ResultsStandInTheListsOrder) {
  options_.batch = 2;
  const auto entries = hostile_list();
  const Evaluation evaluation = run(entries);
  ASSERT_EQ(evaluation.results.size(), entries.size());
  std::vector<std::string> ids;
  for (const ListEntry& entry : entries) ids.push_back(entry.id);
  EXPECT_EQ(told_, ids);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(evaluation.results[i].id, ids[i]);
    EXPECT_EQ(evaluation.results[i].failed(), i == 1 || i == 3 || i == 5) << i;
    EXPECT_EQ(evaluation.results[i].reason.empty(), !evaluation.results[i].failed()) << i;
  }
}

TEST_F(EvaluationTest, UnreadableSamplesAreMissingFromTheirBatch) {
  options_.batch = 4;
  static_cast<void>(run(hostile_list()));  // good, duplicate, good, gone; good, wild, good, good
  EXPECT_EQ(engine_.batch_sizes, (std::vector<std::size_t>{2, 4}));
}

// A sample has 48 pixels.
TEST_F(EvaluationTest, BatchesAreCutWhereTheirPixelsAreTooMany) {
  const auto entries = good_list(7);
  options_.batch = 3;
  options_.reading.max_pixels = 96;
  Evaluation evaluation = run(entries);
  EXPECT_EQ(std::ranges::max(engine_.batch_sizes), 2U);
  EXPECT_EQ(evaluation.results.size(), 7U);
  options_.reading.max_pixels = 48;
  engine_.batch_sizes.clear();
  evaluation = run(entries, {.read = 3, .write = 2}, trace_);
  EXPECT_EQ(engine_.batch_sizes, std::vector<std::size_t>(7, 1));
  EXPECT_EQ(evaluation.results.size(), 7U);
  EXPECT_FALSE(evaluation.stopped);
}

TEST_F(EvaluationTest, ResultsDoNotDependOnThreads) {
  const auto entries = hostile_list();
  std::map<std::string, std::map<std::string, std::string>> files, expected_files;
  on_batch_ = [&](std::span<const SampleResult> batch) {
    for (const SampleResult& result : batch) {
      if (!result.failed()) files[result.id] = result.files;
    }
  };
  const Evaluation expected = run(entries);
  expected_files.swap(files);
  EXPECT_EQ(expected_files.size(), 5U);
  for (const auto& [read, write] : {std::pair{4, 1}, std::pair{1, 4}, std::pair{3, 3}}) {
    options_.batch = static_cast<std::size_t>(read);
    const Evaluation found = run(entries, {.read = read, .write = write}, trace_);
    ASSERT_EQ(found.results.size(), expected.results.size());
    EXPECT_FALSE(found.stopped);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      EXPECT_EQ(found.results[i].id, expected.results[i].id);
      EXPECT_EQ(found.results[i].status, expected.results[i].status);
    }
    EXPECT_EQ(files, expected_files);
    files.clear();
  }
}

TEST_F(EvaluationTest, StopsAfterWhatIsInFlight) {
  const auto entries = good_list(40);
  std::size_t batches = 0;
  on_batch_ = [&](std::span<const SampleResult>) {
    if (++batches == 3) stop_requested_ = true;
  };
  const Evaluation evaluation = run(entries);
  EXPECT_TRUE(evaluation.stopped);
  EXPECT_GE(evaluation.results.size(), 3U);
  EXPECT_LT(evaluation.results.size(), 15U);  // those that waited in the queues or were in a thread's hands
  for (const SampleResult& result : evaluation.results) EXPECT_FALSE(result.failed()) << result.reason;
}

TEST_F(EvaluationTest, StoppedBeforeItBeginsIsNothing) {
  stop_requested_ = true;
  const Evaluation evaluation = run(good_list(3));
  EXPECT_TRUE(evaluation.stopped);
  EXPECT_TRUE(evaluation.results.empty());
}

TEST_F(EvaluationTest, AFullDiskEndsTheRunAndNoFurtherSamplesAreRead) {
  std::atomic<std::size_t> submitted = 0;
  engine_.on_submit = [&] { ++submitted; };
  engine_.on_mesh = [] { throw DiskError("no space"); };
  const auto entries = good_list(60);
  EXPECT_THROW(static_cast<void>(run(entries)), DiskError);
  EXPECT_GE(submitted, 1U);
  EXPECT_LT(submitted, 15U);  // the queues between the steps hold a few
}

TEST_F(EvaluationTest, SecondsAreThoseOfSamplesWithAMesh) {
  const Evaluation evaluation = run(hostile_list());
  double compute_ms = 0;
  for (const SampleResult& result : evaluation.results) {
    if (!result.failed()) compute_ms += result.compute_ms;
  }
  EXPECT_NEAR(evaluation.compute_seconds, compute_ms / 1000, 1e-12);
  EXPECT_GT(evaluation.wall_seconds, evaluation.compute_seconds);
}

TEST_F(EvaluationTest, TheTraceHasEveryStep) {
  const auto file = folder_.path() / "trace.json";
  Trace trace(file);
  static_cast<void>(run(hostile_list(), {}, trace));
  trace.write();
  std::map<std::string, int> spans;
  const auto document = nlohmann::json::parse(slurp(file));
  for (const auto& event : document["traceEvents"]) {
    if (event["ph"] == "X") ++spans[event["name"]];
  }
  EXPECT_EQ(spans["read"], 7);     // the duplicate is not read
  EXPECT_EQ(spans["compute"], 6);  // batches of one
  EXPECT_EQ(spans["cnn1"], 6);
  EXPECT_EQ(spans["drb"], 6);
  EXPECT_EQ(spans["write"], 5);
  EXPECT_EQ(spans["score"], 5);
}

}  // namespace
}  // namespace p2mpp
