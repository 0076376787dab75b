#include "eval/score_summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "eval/evaluation_report.h"
#include "support/report_data.h"

namespace p2mpp {
namespace {

TEST(ScoreTable, ListsCategoriesBelowTheirMean) {
  const TableCells rows = score_table(summarize(sample_evaluation()).scores);
  ASSERT_EQ(rows.size(), 10U);
  EXPECT_EQ(rows[1], (std::vector<std::string>{"vertices", "3", "3.0000", "60.00", "0.00", "0.00", "0.00", "0.00",
                                               "0.00", "0.0000", "-"}));
  EXPECT_EQ(rows[2][0], "  chair");
  EXPECT_EQ(rows[2][2], "2.0000");
  EXPECT_EQ(rows[4][0], "surface (10000 points)");
  EXPECT_EQ(rows[4][6], "80.00");
  EXPECT_EQ(rows[7][0], "vertices after stage 1");
  EXPECT_EQ(rows[8][2], "4.0000");
}

TEST(ScoreSummary, IsNothingWithoutSamples) {
  EXPECT_TRUE(to_json(ScoreSummary{}).is_null());
  EXPECT_EQ(ScoreSummary{}.all().count, 0U);
  EXPECT_TRUE(ScoreSummary{}.by_category().empty());
}

TEST(ScoreSummary, AFigureThatASampleLacksHasNoMean) {
  Scores with, without;
  with.vertices.normal_consistency = 0.5;
  ScoreSummary summary;
  summary.add("chair", with);
  summary.add("chair", with);
  EXPECT_EQ(summary.all().mean.vertices.normal_consistency, 0.5);
  summary.add("lamp", without);
  EXPECT_TRUE(std::isnan(summary.all().mean.vertices.normal_consistency));
  EXPECT_EQ(summary.by_category().at("chair").mean.vertices.normal_consistency, 0.5);
  EXPECT_TRUE(to_json(summary)["by_category"]["lamp"]["vertices"]["normal_consistency"].is_number_float());
  EXPECT_EQ(nlohmann::json::parse(to_json(summary).dump())["vertices"]["normal_consistency"], nullptr);
}

}  // namespace
}  // namespace p2mpp
