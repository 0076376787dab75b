#include "geometry/disjoint_sets.h"

#include <gtest/gtest.h>

#include <random>

namespace p2mpp {
namespace {

TEST(DisjointSets, AgreeWithPaintedColours) {
  std::mt19937 generator(3);
  for (int round = 0; round < 20; ++round) {
    const std::size_t count = 2 + generator() % 60;
    DisjointSets sets(count);
    std::vector<std::size_t> colours(count);
    for (std::size_t i = 0; i < count; ++i) colours[i] = i;
    for (std::size_t step = 0; step < count; ++step) {
      const std::size_t a = generator() % count, b = generator() % count;
      sets.unite(a, b);
      const std::size_t from = colours[a], to = colours[b];
      for (std::size_t& colour : colours) colour = colour == from ? to : colour;
    }
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b < count; ++b) {
        EXPECT_EQ(sets.find(a) == sets.find(b), colours[a] == colours[b]);
      }
      EXPECT_EQ(sets.is_root(a), sets.find(a) == a);
    }
  }
}

}  // namespace
}  // namespace p2mpp
