#include "geometry/edge_uses.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "support/test_meshes.h"

namespace p2mpp {
namespace {

TEST(EdgeUses, KnowTriangleAndDirection) {
  const auto uses = sorted_edge_uses({{5, 2, 7}, {2, 5, 1}});
  ASSERT_EQ(uses.size(), 6u);
  EXPECT_EQ(uses[0].edge, (Edge{1, 2}));
  EXPECT_EQ(uses[1].edge, (Edge{1, 5}));
  EXPECT_EQ(uses[2].edge, (Edge{2, 5}));
  EXPECT_EQ(uses[2].triangle, 0u);
  EXPECT_FALSE(uses[2].forward);
  EXPECT_EQ(uses[3].edge, (Edge{2, 5}));
  EXPECT_EQ(uses[3].triangle, 1u);
  EXPECT_TRUE(uses[3].forward);
}

TEST(EdgeUses, AreGroupedByEdge) {
  std::mt19937_64 generator(4);
  for (int round = 0; round < 20; ++round) {
    const auto mesh = testing::random_sphere(generator);
    const auto uses = sorted_edge_uses(mesh.triangles);
    std::size_t edges = 0;
    for (std::span<const EdgeUse> rest = uses; !rest.empty(); ++edges) {
      const auto edge = first_edge(rest);
      ASSERT_EQ(edge.size(), 2u);
      EXPECT_EQ(edge[0].edge, edge[1].edge);
      EXPECT_NE(edge[0].forward, edge[1].forward);
      rest = rest.subspan(edge.size());
    }
    EXPECT_EQ(2 * edges, 3 * mesh.triangles.size());
  }
  EXPECT_TRUE(sorted_edge_uses({}).empty());
  EXPECT_TRUE(first_edge({}).empty());
}

}  // namespace
}  // namespace p2mpp
