#include "eval/profile.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "support/messages.h"

namespace p2mpp {
namespace {

EvaluationSummary summary_of(double read, double compute, double write) {
  EvaluationSummary summary;
  summary.reconstructed = 4;
  summary.wall_seconds = 10;
  summary.steps = {{"read", 2, read}, {"compute", 1, compute}, {"write", 1, write}};
  summary.parts[static_cast<std::size_t>(Part::kDrb)] = summarize({10, 20, 30, 40});
  summary.parts[static_cast<std::size_t>(Part::kRead)] = summarize({25, 25, 25, 25});
  return summary;
}

TEST(Bottleneck, NamesTheStageThatIsAlwaysAtWork) {
  EXPECT_HOLDS(bottleneck(summary_of(5, 9.5, 1)), "\"compute\" was busy 95% of the time; a lower --precision");
  EXPECT_HOLDS(bottleneck(summary_of(19, 5, 1)), "\"read\" was busy 95% of the time; more --read-threads (now 2)");
  EXPECT_HOLDS(bottleneck(summary_of(5, 5, 9.9)), "more --write-threads (now 1)");
  EXPECT_TRUE(bottleneck(summary_of(5, 5, 5)).starts_with("No step limits the others"));
  EXPECT_EQ(bottleneck({}), "Nothing was computed.");
}

TEST(Bottleneck, TellsADeviceThatWaitsFromOneThatWorks) {
  EvaluationSummary summary = summary_of(5, 9.5, 1);
  summary.steps.push_back({"device", 1, 4});
  EXPECT_HOLDS(bottleneck(summary), "95% of the time; its device only 40% of it; a larger --batch would help");
  summary.steps.back().busy_seconds = 9.2;
  EXPECT_HOLDS(bottleneck(summary), "95% of the time; a lower --precision");
  EXPECT_EQ(step_table(summary)[4], (std::vector<std::string>{"device", "1", "9.200", "92%"}));
}

TEST(MemoryText, NamesTheDeviceWhereThereIsOne) {
  constexpr std::uint64_t kMebibyte = 1 << 20;
  std::vector<MemorySample> memory = {{0, 100 * kMebibyte}, {0.5, 300 * kMebibyte}, {1, 200 * kMebibyte}};
  const std::string resident = "resident memory: 100 MiB at the start, 200 MiB at the end, peak 300 MiB after 0.5 s\n";
  EXPECT_EQ(memory_text(memory), resident);
  memory[2].device_bytes = 50 * kMebibyte;
  EXPECT_EQ(memory_text(memory),
            resident + "device memory: 0 MiB at the start, 50 MiB at the end, peak 50 MiB after 1.0 s\n");
}

TEST(PartTable, SharesAddUp) {
  const TableCells rows = part_table(summary_of(1, 1, 1));
  ASSERT_EQ(rows.size(), kPartCount + 1);
  EXPECT_EQ(rows[1], (std::vector<std::string>{"read", "4", "0.100", "25.00", "50%"}));
  EXPECT_EQ(rows[8], (std::vector<std::string>{"drb", "4", "0.100", "25.00", "50%"}));
  EXPECT_EQ(step_table(summary_of(5, 9, 1))[1], (std::vector<std::string>{"read", "2", "5.000", "25%"}));
}

TEST(ProfileDocument, HoldsAllOfIt) {
  const auto json = profile_document(summary_of(5, 9.5, 1), {{0, 100}, {0.5, 200}});
  EXPECT_EQ(json["stages"][1].dump(), R"({"stage":"compute","threads":1,"busy_seconds":9.5,"utilisation":0.95})");
  EXPECT_EQ(json["parts"][7].dump(), R"({"part":"drb","calls":4,"total_seconds":0.1,"median_ms":25.0,"share":0.5})");
  EXPECT_EQ(json["resident_bytes_over_seconds"][1][1], 200);
  EXPECT_EQ(json["bottleneck"], bottleneck(summary_of(5, 9.5, 1)));
  EXPECT_FALSE(json.contains("device_bytes_at_most"));
  const auto of_device = profile_document(summary_of(5, 9.5, 1), {{0, 100, 0}, {0.5, 200, 70}, {1, 200, 60}});
  EXPECT_EQ(of_device["device_bytes_at_most"], 70);
  EXPECT_EQ(of_device["device_bytes_over_seconds"][2][1], 60);
}

TEST(MemorySampler, SeesMemoryGrow) {
  std::atomic<std::uint64_t> device_bytes = 0;
  MemorySampler sampler([&] { return device_bytes.load(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const std::vector<char> large(64 << 20, 'x');
  device_bytes = 7;
  const std::vector<MemorySample> samples = sampler.finish();
  ASSERT_GE(samples.size(), 2U);
  EXPECT_GT(samples.back().resident_bytes, samples.front().resident_bytes + (60 << 20));
  EXPECT_GT(samples.back().seconds, 0.04);
  EXPECT_EQ(samples.front().device_bytes, 0U);
  EXPECT_EQ(samples.back().device_bytes, 7U);
  EXPECT_EQ(large.back(), 'x');
}

}  // namespace
}  // namespace p2mpp
