#include "base/csv.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace p2mpp {
namespace {

TEST(CsvField, IsQuotedOnlyWhereNeeded) {
  EXPECT_EQ(csv_field("plain text: 1.5"), "plain text: 1.5");
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_field("two\r\nlines"), "\"two\r\nlines\"");
}

TEST(CsvLine, KeepsEmptyFieldsAtBothEnds) {
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
