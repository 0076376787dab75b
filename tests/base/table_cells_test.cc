#include "base/table_cells.h"

#include <gtest/gtest.h>

#include <limits>

namespace p2mpp {
namespace {

TEST(FixedCell, RoundsAndMarksWhatIsNotANumber) {
  EXPECT_EQ(fixed_cell(84.378, 2), "84.38");
  EXPECT_EQ(fixed_cell(84.378, 0), "84");
  EXPECT_EQ(fixed_cell(-0.5, 1), "-0.5");
  EXPECT_EQ(fixed_cell(std::numeric_limits<double>::quiet_NaN(), 2), "-");
  EXPECT_EQ(fixed_cell(std::numeric_limits<double>::infinity(), 2), "-");
}

TEST(MarkdownTable, AlignsNumbersRight) {
  const std::string expected =
      "| part  | median |\n"
      "| ----- | -----: |\n"
      "| cnn1  |   1.50 |\n"
      "| a\\|b  |  10.25 |\n"
      "| stdev |      - |\n";
  EXPECT_EQ(markdown_table({{"part", "median"}, {"cnn1", "1.50"}, {"a|b", "10.25"}, {"stdev", "-"}}), expected);
}

TEST(MarkdownTable, NarrowColumnsHaveThreeDashes) {
  EXPECT_EQ(markdown_table({{"a"}, {"b"}}), "| a   |\n| --- |\n| b   |\n");
}

}  // namespace
}  // namespace p2mpp
