#include "eval/evaluation_tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "eval/report_data.h"

namespace p2mpp {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(ResultsCsv, HasALineForEachSample) {
  const auto lines = lines_of(results_csv(sample_evaluation()));
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_TRUE(lines[0].starts_with("id,line,category,status,reason,total_ms,compute_ms,read_ms,preprocess_ms,"))
      << lines[0];
  EXPECT_TRUE(lines[0].ends_with(",coarse_normal_consistency")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("chair_1_00,1,chair,done,,13,10,1,0,")) << lines[1];
  EXPECT_NE(lines[1].find(",0.001,60,"), std::string::npos) << lines[1];
  EXPECT_TRUE(lines[4].starts_with("lamp_2_00,4,lamp,not_scored,no truth,43,40,")) << lines[4];
  EXPECT_TRUE(lines[5].starts_with("bad,5,,failed,\"a \"\"quoted\"\", reason\",,,")) << lines[5];
}

TEST(ResultsCsv, EveryLineHasEveryField) {
  const auto lines = lines_of(results_csv(sample_evaluation()));
  const auto commas = std::ranges::count(lines[0], ',');
  for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(std::ranges::count(lines[i], ','), commas) << lines[i];
  EXPECT_EQ(std::ranges::count(lines[5], ','), commas + 1) << lines[5];  // one within quotes
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
