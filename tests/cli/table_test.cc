#include "cli/support/table.h"

#include <gtest/gtest.h>

namespace p2mpp::cli {
namespace {

TEST(FormatTable, FlushesNumbersRightAndWordsLeft) {
  EXPECT_EQ(format_table({{"part", "ms"}, {"read", "1.5"}, {"projection", "-1200.0"}}),
            "part             ms\n"
            "read            1.5\n"
            "projection  -1200.0\n");
}

TEST(FormatTable, KeepsAColumnLeftWhereACellIsAWord) {
  EXPECT_EQ(format_table({{"speed-up", "x"}, {"2.5", "a"}, {"none", "b"}}),
            "speed-up  x\n"
            "2.5       a\n"
            "none      b\n");
}

TEST(FormatTable, CountsCharactersAndLeavesNoTrailingSpaces) {
  EXPECT_EQ(format_table({{"a", "b"}, {"Größe", ""}, {"x", "y"}}),
            "a      b\n"
            "Größe\n"
            "x      y\n");
}

TEST(FormatTable, TakesRowsOfDifferentLengths) {
  EXPECT_EQ(format_table({{"a"}, {"1", "2"}}),
            "a\n"
            "1  2\n");
  EXPECT_EQ(format_table({}), "");
}

}  // namespace
}  // namespace p2mpp::cli
