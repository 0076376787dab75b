#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "base/text.h"

namespace p2mpp {
namespace {

TEST(EditDistance, CountsChanges) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("model", "model"), 0u);
  EXPECT_EQ(edit_distance("modell", "model"), 1u);
  EXPECT_EQ(edit_distance("nodel", "model"), 1u);
  EXPECT_EQ(edit_distance("modle", "model"), 1u) << "neighbours swapped";
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(EditDistance, IsAMetricOnRandomWords) {
  std::mt19937 random(1);
  const auto draw = [&random] {
    std::string word(random() % 7, ' ');
    for (char& letter : word) letter = static_cast<char>('a' + random() % 3);
    return word;
  };
  for (int trial = 0; trial < 500; ++trial) {
    const std::string a = draw();
    const std::string b = draw();
    const std::size_t distance = edit_distance(a, b);
    EXPECT_EQ(distance, edit_distance(b, a)) << a << " " << b;
    EXPECT_EQ(distance == 0, a == b) << a << " " << b;
    EXPECT_LE(distance, std::max(a.size(), b.size())) << a << " " << b;
    EXPECT_GE(distance, std::max(a.size(), b.size()) - std::min(a.size(), b.size())) << a << " " << b;
  }
}

}  // namespace
}  // namespace p2mpp
