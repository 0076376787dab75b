#include <gtest/gtest.h>

#include "eval/score_summary.h"

namespace p2mpp {
namespace {

TEST(CategoryName, IsEnglishForSynsetsOfShapeNetAlone) {
  EXPECT_EQ(category_name("02691156"), "aeroplane");
  EXPECT_EQ(category_name("00000000"), "other");
  EXPECT_EQ(category_name("04530566"), "boat");
  EXPECT_EQ(category_name("04554684"), "washing machine");
  for (const char* text : {"", "chairs", "0269115", "026911567", "00000001", "99999999"}) {
    EXPECT_EQ(category_name(text), text);
  }
}

}  // namespace
}  // namespace p2mpp
