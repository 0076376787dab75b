#include "io/natural_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace p2mpp {
namespace {

TEST(NaturalLess, ComparesRunsOfDigitsAsNumbers) {
  std::vector<std::string> names{"plane10.png", "plane2.png", "plane1.png", "Plane3.png",
                                 "plane02.png", "plane.png",  "7"};
  std::sort(names.begin(), names.end(), natural_less);
  EXPECT_EQ(names, (std::vector<std::string>{"7", "Plane3.png", "plane.png", "plane1.png", "plane02.png", "plane2.png",
                                             "plane10.png"}));
}

TEST(NaturalLess, HandlesNumbersBeyondEveryInteger) {
  const std::string huge(400, '9');
  EXPECT_TRUE(natural_less("a" + huge, "a1" + huge));
  EXPECT_FALSE(natural_less("a1" + huge, "a" + huge));
  EXPECT_TRUE(natural_less("", "0"));
  EXPECT_FALSE(natural_less("0", "0"));
  EXPECT_TRUE(natural_less("0", "00") || natural_less("00", "0"));
}

TEST(NaturalLess, IsAStrictWeakOrder) {
  std::mt19937 random(1);
  std::vector<std::string> names;
  for (int i = 0; i < 60; ++i) {
    std::string name;
    for (std::size_t length = random() % 6; length > 0; --length) name += "01a.b"[random() % 5];
    names.push_back(name);
  }
  for (const std::string& a : names) {
    for (const std::string& b : names) {
      EXPECT_EQ(natural_less(a, b) || natural_less(b, a), a != b) << a << ' ' << b;
      EXPECT_FALSE(natural_less(a, b) && natural_less(b, a)) << a << ' ' << b;
      for (const std::string& c : names) {
        if (natural_less(a, b) && natural_less(b, c)) {
          EXPECT_TRUE(natural_less(a, c)) << a << ' ' << b << ' ' << c;
        }
      }
    }
  }
}

}  // namespace
}  // namespace p2mpp
