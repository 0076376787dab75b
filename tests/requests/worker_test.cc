#include "requests/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "pipeline/sample_result_json.h"
#include "support/evaluation_fixture.h"

namespace p2mpp {
namespace {

class WorkerTest : public EvaluationFixture {
 protected:
  WorkerTest() { options_.batch = 2; }

  WorkerStatistics run(std::deque<std::string> lines) {
    const WorkerChannel channel{.next_line = [&]() -> std::optional<RequestLine> {
                                  if (lines.empty()) return std::nullopt;
                                  RequestLine line{lines.front(), lines.front().size() > 1000};
                                  lines.pop_front();
                                  return line;
                                },
                                .answer = [this](const Json& answer) { take(answer); },
                                .stop_requested = [this] { return stop_requested_.load(); }};
    return run_worker({.evaluation = options_, .batch_timeout = timeout_, .queue = queue_, .ends_on_full_disk = true},
                      engine_, trace_, channel);
  }

  void take(const Json& answer) {
    answers_.push_back(answer);
    on_answer_(answer);
  }

  // A request of three files with a camera each.
  std::string request(const std::string& id, int priority = 0, float azimuth_deg = 10) {
    const ListEntry entry = add_sample("files", id, azimuth_deg);
    const auto folder = options_.images_root / "files" / id / "rendering";
    Json json = {
        {"id", id}, {"images", Json::array()}, {"priority", priority}, {"output", (folder_.path() / "made").string()}};
    for (int view = 0; view < 3; ++view)
      json["images"].push_back((folder / ("0" + std::to_string(view) + ".png")).string());
    json["cameras"] = (folder / "rendering_metadata.txt").string();
    return json.dump();
  }

  // s0, s1, ...
  std::deque<std::string> requests(int count) {
    std::deque<std::string> lines;
    for (int i = 0; i < count; ++i) lines.push_back(request(fmt::format("s{}", i)));
    return lines;
  }

  std::string entry_request(const ListEntry& entry) {
    return Json{{"id", "r" + std::to_string(entry.line)}, {"entry", entry.id + ".dat"}, {"line", entry.line}}.dump();
  }

  [[nodiscard]] const Json& answer_to(const std::string& id) const {
    return *std::ranges::find_if(answers_, [&](const Json& answer) { return answer.value("id", Json()) == id; });
  }

  std::vector<Json> answers_;
  std::function<void(const Json&)> on_answer_ = [](const Json&) {};
  std::atomic<bool> stop_requested_ = false;
  std::chrono::milliseconds timeout_{2};
  std::size_t queue_ = 100;
};

TEST_F(WorkerTest, AnswersFilesWithTheirMesh) {
  const WorkerStatistics statistics = run({request("a"), request("b")});
  EXPECT_EQ(statistics.done, 2U);
  ASSERT_EQ(answers_.size(), 2U);
  const Json& answer = answer_to("a");
  EXPECT_EQ(answer["status"], "done");
  const auto obj = folder_.path() / "made" / "a_predict.obj";
  EXPECT_EQ(answer["files"][0], obj.string());
  EXPECT_EQ(read_mesh(obj).vertices, tetrahedron(0.75F).vertices);
  EXPECT_GE(answer["milliseconds"]["total"].get<double>(), answer["milliseconds"]["queued"].get<double>());
}

TEST_F(WorkerTest, AListsEntriesAreWhatAnEvaluationMakesOfThem) {
  const ListEntry good = add_sample("chair", "good"), untrue = add_sample("chair", "untrue");
  add_truth(good);
  ListEntry gone = good;
  gone.id = "chair_gone_00";
  gone.line = 9;
  static_cast<void>(run({entry_request(good), entry_request(untrue), entry_request(gone)}));
  const SampleResult result = sample_result_from(answer_to("r1")["result"]);
  EXPECT_EQ(result.id, good.id);
  EXPECT_EQ(result.line, good.line);
  EXPECT_EQ(result.category, "chair");
  EXPECT_EQ(result.files.size(), 2U);
  ASSERT_TRUE(result.scores);
  EXPECT_EQ(result.scores->vertices.chamfer_distance, 0);
  EXPECT_TRUE(has_mesh(good));
  EXPECT_EQ(answer_to("r2")["status"], "not_scored");
  EXPECT_EQ(answer_to("r9")["status"], "failed");
  EXPECT_HOLDS(answer_to("r9")["reason"].get<std::string>(), "chair_gone_00");
}

TEST_F(WorkerTest, EveryLineIsAnsweredOnce) {
  const std::string good = request("good");
  const WorkerStatistics statistics =
      run({"nonsense", "", good, good, R"({"id": "odd", "images": 3})", std::string(2000, 'x'),
           R"({"command": "dance"})", request("wild", 0, 359), request("other")});
  EXPECT_EQ(answers_.size(), 9U);
  EXPECT_EQ(statistics.accepted, 3 + statistics.done - 2U);  // the second "good" may come when the first is answered
  EXPECT_EQ(statistics.failed, 1U);
  EXPECT_EQ(statistics.in_work(), 0U);
  EXPECT_EQ(answer_to("odd")["status"], "refused");
  EXPECT_EQ(answer_to("wild")["status"], "failed");
  EXPECT_HOLDS(answers_[0]["reason"].get<std::string>(), "line 1: not valid JSON");
}

TEST_F(WorkerTest, FilesNeedAnOutput) {
  options_.out.clear();
  Json json = Json::parse(request("a"));
  json.erase("output");
  static_cast<void>(run({json.dump()}));
  EXPECT_HOLDS(answers_.at(0)["reason"].get<std::string>(), "\"output\": expected");
}

TEST_F(WorkerTest, StatisticsCountWhatWasDone) {
  timeout_ = std::chrono::milliseconds(2000);  // so that batches are full
  const WorkerStatistics statistics = run(requests(9));
  const Json json = statistics.to_json(0);
  EXPECT_EQ(json["done"], 9);
  EXPECT_EQ(json["in_work"], 0);
  std::size_t samples = 0;
  for (const auto& [size, count] : statistics.batches) samples += size * count;
  EXPECT_EQ(samples, 9U);
  EXPECT_GE(statistics.batches.at(2), 4U);
  EXPECT_EQ(json["milliseconds"]["total"]["count"], 9);
  EXPECT_LE(json["milliseconds"]["total"]["p50"], json["milliseconds"]["total"]["p99"]);
  run({R"({"command": "statistics"})"});
  EXPECT_EQ(answers_.back()["statistics"]["accepted"], 0);
}

TEST_F(WorkerTest, BatchesAreCutWhereTheirPixelsAreTooMany) {
  timeout_ = std::chrono::milliseconds(2000);
  options_.batch = 3;
  options_.reading.max_pixels = 48;  // of one sample
  const WorkerStatistics statistics = run(requests(6));
  EXPECT_EQ(statistics.done, 6U);
  EXPECT_EQ(statistics.batches, (std::map<std::size_t, std::size_t>{{1, 6}}));
}

TEST_F(WorkerTest, AfterAStopWhatHasNotBegunIsDropped) {
  on_answer_ = [&](const Json&) { stop_requested_ = true; };
  const WorkerStatistics statistics = run(requests(40));
  EXPECT_EQ(statistics.accepted, answers_.size());
  EXPECT_EQ(statistics.accepted, statistics.done + statistics.dropped);
  EXPECT_GE(statistics.done, 1U);
  EXPECT_LT(statistics.done, 20U);
  for (const Json& answer : answers_) EXPECT_TRUE(answer["status"] == "done" || answer["status"] == "dropped");
}

TEST_F(WorkerTest, AnAnswerThatCannotBeGivenEndsIt) {
  on_answer_ = [](const Json&) { throw Error("stdout is full"); };
  queue_ = 3;
  EXPECT_THROW(static_cast<void>(run(requests(40))), Error);
}

TEST_F(WorkerTest, AFullDiskEndsTheWorkerAndDropsWhatWaits) {
  engine_.on_mesh = [] { throw DiskError("no space"); };
  EXPECT_THROW(static_cast<void>(run(requests(60))), DiskError);
  const auto count = [&](const std::string& status) {
    return std::ranges::count(answers_, status, [](const Json& answer) { return answer["status"].get<std::string>(); });
  };
  EXPECT_EQ(answer_to("s0")["reason"], "no space");
  EXPECT_GE(count("failed"), 1);
  EXPECT_LT(count("failed"), 20);
  EXPECT_EQ(count("failed") + count("dropped"), std::ssize(answers_));
}

TEST_F(WorkerTest, FailuresThatAreNotTheirInputsAreCounted) {
  engine_.on_mesh = [] { throw Error("no memory"); };
  const WorkerStatistics statistics = run({request("a"), request("b")});
  EXPECT_EQ(statistics.failed, 2U);
  EXPECT_EQ(statistics.failed_otherwise, 2U);
}

// Its engine waits until all requests are there.
class WaitingWorkerTest : public WorkerTest {
 protected:
  WaitingWorkerTest() {
    engine_.on_collect = [this] {
      if (!all_there_) std::this_thread::sleep_for(std::chrono::milliseconds(200));
      all_there_ = true;
    };
  }

  bool all_there_ = false;
};

TEST_F(WaitingWorkerTest, TheUrgentOvertakeThoseThatWait) {
  options_.batch = 1;
  timeout_ = std::chrono::milliseconds(0);
  std::deque<std::string> lines = requests(10);
  lines.push_back(request("urgent", 9));
  static_cast<void>(run(lines));
  const auto at = std::ranges::find_if(answers_, [](const Json& answer) { return answer["id"] == "urgent"; });
  // Before it: those in the hands of the three threads or between them when the engine began.
  EXPECT_LE(at - answers_.begin(), 4);
  EXPECT_EQ(answers_.size(), 11U);
}

TEST_F(WaitingWorkerTest, WhatIsTooLateIsNotComputed) {
  options_.batch = 1;
  timeout_ = std::chrono::milliseconds(0);
  std::deque<std::string> lines;
  for (int i = 0; i < 10; ++i) {
    Json json = Json::parse(request(fmt::format("s{}", i)));
    if (i >= 5) json["deadline_ms"] = 50;  // the engine waits 200
    lines.push_back(json.dump());
  }
  const WorkerStatistics statistics = run(lines);
  EXPECT_EQ(answers_.size(), 10U);
  EXPECT_GE(statistics.expired, 3U);
  EXPECT_EQ(statistics.done + statistics.expired, 10U);
  EXPECT_EQ(answer_to("s9")["status"], "expired");
  EXPECT_FALSE(answer_to("s9").contains("result"));
}

TEST_F(WorkerTest, AFolderIsASample) {
  static_cast<void>(add_sample("chair", "good"));
  const auto folder = options_.images_root / "chair" / "good";
  const std::string out = (folder_.path() / "made").string();
  static_cast<void>(run({Json{{"id", "x"}, {"sample", folder.string()}, {"output", out}}.dump(),
                         Json{{"id", "y"}, {"sample", "nowhere"}, {"output", out}}.dump()}));
  EXPECT_EQ(answer_to("x")["status"], "done");
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "made" / "x_predict.obj"));
  EXPECT_EQ(answer_to("y")["status"], "failed");
  EXPECT_HOLDS(answer_to("y")["reason"].get<std::string>(), "nowhere: no such folder");
}

TEST(RecentValues, ForgetsTheOldest) {
  RecentValues values;
  for (int i = 0; i < 25'000; ++i) values.add(i);
  const Json percentiles = values.percentiles();
  EXPECT_EQ(percentiles["count"], 10'000);
  EXPECT_NEAR(percentiles["p50"].get<double>(), 20'000, 1);
}

}  // namespace
}  // namespace p2mpp
