#include "colours/uv_seams.h"

#include <gtest/gtest.h>

namespace p2mpp {
namespace {

/// Two triangles of a square, of which one vertex of the diagonal is at a seam.
TriangleMesh square() {
  TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {5, 5, 5}}, {{0, 1, 2}, {0, 2, 3}}};
  mesh.colours = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}};
  mesh.texture =
      std::make_shared<MeshTexture>(MeshTexture{{{{{0, 0}, {0.5F, 0}, {0.5F, 0.5F}}}, {{{0, 0}, {1, 1}, {0, 1}}}},
                                                {2, 2, {10, 0, 0, 255, 20, 0, 0, 255, 30, 0, 0, 255, 40, 0, 0, 255}}});
  return mesh;
}

TEST(SplitAtSeams, CopiesVerticesOfSeveralPlaces) {
  const SeamedMesh seamed = split_at_seams(square());
  EXPECT_EQ(seamed.mesh.vertices, (Points{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {5, 5, 5}, {1, 1, 0}}));
  EXPECT_EQ(seamed.mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 5, 3}}));
  EXPECT_EQ(seamed.uvs, (std::vector<Eigen::Vector2f>{{0, 0}, {0.5F, 0}, {0.5F, 0.5F}, {0, 1}, {0, 0}, {1, 1}}));
  EXPECT_EQ(seamed.mesh.colours.back(), (Colour{2, 2, 2}));
  EXPECT_FALSE(seamed.mesh.texture);
}

TEST(ColoursOfTexture, AreMeansOverTheTriangles) {
  EXPECT_EQ(colours_of_texture(square()),
            (std::vector<Colour>{{10, 0, 0}, {20, 0, 0}, {40, 0, 0}, {30, 0, 0}, {0, 0, 0}}));
}

}  // namespace
}  // namespace p2mpp
