#include "base/table.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace p2mpp {
namespace {

TEST(FixedCell, RoundsAndMarksWhatIsNotANumber) {
  EXPECT_EQ(fixed_cell(84.378, 2), "84.38");
  EXPECT_EQ(fixed_cell(84.378, 0), "84");
  EXPECT_EQ(fixed_cell(-0.5, 1), "-0.5");
  EXPECT_EQ(fixed_cell(std::numeric_limits<double>::quiet_NaN(), 2), "-");
  EXPECT_EQ(fixed_cell(std::numeric_limits<double>::infinity(), 2), "-");
}

TEST(MarkdownTable, AlignsCellsByWhatTheyHold) {
  const std::string expected =
      "| part  | median |\n"
      "| ----- | -----: |\n"
      "| cnn1  |   1.50 |\n"
      "| a\\|b  |  10.25 |\n"
      "| stdev |      - |\n";
  EXPECT_EQ(markdown_table({{"part", "median"}, {"cnn1", "1.50"}, {"a|b", "10.25"}, {"stdev", "-"}}), expected);
  EXPECT_EQ(markdown_table({{"Größe", "mm"}, {"a", "-1.5"}}),
            "| Größe |   mm |\n"
            "| ----- | ---: |\n"
            "| a     | -1.5 |\n");
  EXPECT_EQ(markdown_table({{"a"}, {"b"}}), "| a   |\n| --- |\n| b   |\n");
}

TEST(FormatTable, AlignsCellsByWhatTheyHold) {
  EXPECT_EQ(format_table({{"part", "ms"}, {"read", "1.5"}, {"projection", "-1200.0"}}),
            "part             ms\n"
            "read            1.5\n"
            "projection  -1200.0\n");
  EXPECT_EQ(format_table({{"part", "ms"}, {"read", "15.0"}, {"write", "-"}}),
            "part     ms\n"
            "read   15.0\n"
            "write     -\n");
  EXPECT_EQ(format_table({{"speed-up", "x"}, {"2.5", "a"}, {"none", "b"}}),
            "speed-up  x\n"
            "2.5       a\n"
            "none      b\n");
  EXPECT_EQ(format_table({{"a", "b"}, {"Größe", ""}, {"x", "y"}}),
            "a      b\n"
            "Größe\n"
            "x      y\n");
  EXPECT_EQ(format_table({{"a"}, {"1", "2"}}),
            "a\n"
            "1  2\n");
  EXPECT_EQ(format_table({}), "");
}

TEST(CsvField, IsQuotedOnlyWhereNeeded) {
  EXPECT_EQ(csv_field("plain text: 1.5"), "plain text: 1.5");
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("=1+2"), "'=1+2");
  EXPECT_EQ(csv_field("@SUM(A1,A2)"), "\"'@SUM(A1,A2)\"");
  EXPECT_EQ(csv_field("-chair"), "'-chair");
  EXPECT_EQ(csv_field("+cmd"), "'+cmd");
  EXPECT_EQ(csv_field("\tx"), "'\tx");
  EXPECT_EQ(csv_field("-1.5e-3"), "-1.5e-3");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_field("two\r\nlines"), "\"two\r\nlines\"");
  const std::vector<std::string> fields = {"", "a", "b,c", ""};
  EXPECT_EQ(csv_line(fields), ",a,\"b,c\",\n");
}

TEST(CsvNumber, IsEmptyWhereThereIsNone) {
  EXPECT_EQ(csv_number(0.1), "0.1");
  EXPECT_EQ(csv_number(123456.789), "123456.789");
  EXPECT_EQ(csv_number(4.86e-4), "0.000486");
  EXPECT_EQ(csv_number(std::numeric_limits<double>::quiet_NaN()), "");
  EXPECT_EQ(csv_number(std::numeric_limits<double>::infinity()), "");
}

}  // namespace
}  // namespace p2mpp
