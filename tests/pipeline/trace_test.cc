#include "pipeline/trace.h"

#include <nlohmann/json.hpp>
#include <set>

#include "base/clock.h"
#include "support/evaluation_fixture.h"

namespace p2mpp {
namespace {

using std::chrono::milliseconds;

class TraceFile : public ::testing::Test {
 protected:
  nlohmann::json write(const Trace& trace) const {
    trace.write();
    return nlohmann::json::parse(slurp(file_));
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "trace.json";
};

nlohmann::json complete_events(const nlohmann::json& document) {
  nlohmann::json events = nlohmann::json::array();
  for (const auto& event : document["traceEvents"]) {
    if (event["ph"] == "X") events.push_back(event);
  }
  return events;
}

TEST_F(TraceFile, HoldsSpansInMicroseconds) {
  Trace trace(file_);
  const auto begin = Clock::now();
  trace.add("read", "read", begin, begin + milliseconds(3), "chair_1");
  trace.add("write", "write", begin + milliseconds(4), begin + milliseconds(6), "chair \xff");
  const auto document = write(trace);
  EXPECT_EQ(document["traceEvents"][0]["ph"], "M");
  EXPECT_EQ(document["traceEvents"][0]["args"]["name"], "read");
  const auto events = complete_events(document);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0]["name"], "read");
  EXPECT_EQ(events[0]["args"]["detail"], "chair_1");
  EXPECT_NEAR(events[0]["dur"].get<double>(), 3000, 1e-6);
  EXPECT_NEAR(events[1]["ts"].get<double>() - events[0]["ts"].get<double>(), 4000, 1e-6);
  EXPECT_NE(events[0]["tid"], events[1]["tid"]);
}

TEST_F(TraceFile, PartsFollowEachOther) {
  Trace trace(file_);
  PartTimes times;
  times[Part::kCnn1] = 1.5;
  times[Part::kDrb] = 2.5;
  trace.add_parts(Clock::now(), times, "batch");
  const auto events = complete_events(write(trace));
  ASSERT_EQ(events.size(), 2U);  // parts that took no time are not drawn
  EXPECT_EQ(events[0]["name"], "cnn1");
  EXPECT_EQ(events[1]["name"], "drb");
  EXPECT_NEAR(events[1]["ts"].get<double>() - events[0]["ts"].get<double>(), 1500, 1e-6);
  EXPECT_NEAR(events[1]["dur"].get<double>(), 2500, 1e-6);
  EXPECT_EQ(events[0]["tid"], events[1]["tid"]);
}

TEST_F(TraceFile, WhatADeviceDoesAtATimeHasRowsOfItsOwn) {
  Trace trace(file_);
  const auto begin = Clock::now();
  const std::vector<DeviceSpan> spans = {{Part::kCopyIn, begin, begin + milliseconds(2), 0},
                                         {Part::kCnn1, begin + milliseconds(2), begin + milliseconds(5), 18},
                                         {Part::kCnn2, begin + milliseconds(2), begin + milliseconds(4), 16},
                                         {Part::kDrb, begin + milliseconds(5), begin + milliseconds(9), 2},
                                         {Part::kCopyOut, begin + milliseconds(9), begin + milliseconds(10), 0}};
  trace.add_device_spans(spans, "batch");
  const auto document = write(trace);
  const auto events = complete_events(document);
  ASSERT_EQ(events.size(), 5U);
  EXPECT_EQ(events[1]["name"], "cnn1");
  EXPECT_EQ(events[1]["args"]["kernels"], 18);
  EXPECT_EQ(events[1]["args"]["detail"], "batch");
  EXPECT_NEAR(events[1]["dur"].get<double>(), 3000, 1e-6);
  EXPECT_NEAR(events[3]["ts"].get<double>() - events[0]["ts"].get<double>(), 5000, 1e-6);
  EXPECT_FALSE(events[0]["args"].contains("kernels"));
  EXPECT_EQ(events[1]["tid"], events[3]["tid"]);
  std::set<int> rows;
  std::set<std::string> names;
  for (const auto& event : events) rows.insert(event["tid"].get<int>());
  for (const auto& event : document["traceEvents"]) {
    if (event["ph"] == "M") names.insert(event["args"]["name"].get<std::string>());
  }
  EXPECT_EQ(rows.size(), 4U);
  EXPECT_EQ(names, (std::set<std::string>{"device: copies in", "device: kernels", "device: kernels beside",
                                          "device: copies out"}));
}

TEST_F(TraceFile, ASpanMeasuresAlsoWhereNothingIsTraced) {
  Trace off;
  Span span(off, "read", "chair_1");
  EXPECT_GE(span.finish(), 0);
  EXPECT_FALSE(off.on());
  off.write();
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  EXPECT_THROW(Trace(folder_.path() / "missing" / "trace.json").write(), Error);
}

}  // namespace
}  // namespace p2mpp
