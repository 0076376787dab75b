#include "fit/mesh_silhouette.h"

#include <gtest/gtest.h>

#include <random>

#include "support/drawn_masks.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

// The camera at (0, 0, 1) that looks along -z.
Camera straight() { return {.rotation = Eigen::Matrix3d::Identity(), .origin = {0, 0, 1}, .intrinsics = {}}; }

Pinhole<float> float_pinhole(const Camera& camera, int size) { return pinhole_of(camera, size).cast<float>(); }

TEST(MeshSilhouetteTest, AVertexIsWhereTheProjectionOfTheNetworkPutsIt) {
  const Camera camera = camera_from_row({40, 25, 0, 0.8F, 25});
  const Points points = {{0.1F, -0.05F, 0.12F}, {0, 0, 0}};
  const ProjectedVertices projected = project_vertices(points, float_pinhole(camera, 224));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Pixel pixel = project(camera.cam_from_world(points[i].cast<double>()), camera.intrinsics);
    EXPECT_NEAR(projected.pixels[i].x(), pixel.column, 1e-3);
    EXPECT_NEAR(projected.pixels[i].y(), pixel.row, 1e-3);
  }
}

TEST(MeshSilhouetteTest, SamplesInATriangleAreThoseThatABarycentricTestFinds) {
  std::mt19937_64 generator(5);
  std::uniform_real_distribution<float> place(-20, 52);
  for (int round = 0; round < 50; ++round) {
    ProjectedVertices projected;
    for (int k = 0; k < 3; ++k) projected.pixels.emplace_back(place(generator), place(generator));
    MeshSilhouette silhouette(32, 2);
    silhouette.draw(projected, std::vector<Triangle>{{0, 1, 2}});
    const auto side = [&](int a, int b, const Eigen::Vector2f& at) {
      const Eigen::Vector2f along = projected.pixels[static_cast<std::size_t>(b)] -
                                    projected.pixels[static_cast<std::size_t>(a)],
                            to = at - projected.pixels[static_cast<std::size_t>(a)];
      return along.x() * to.y() - along.y() * to.x();
    };
    for (int sample = 0; sample < 64 * 64; ++sample) {
      const Eigen::Vector2f at((static_cast<float>(sample % 64) + 0.5F) / 2,
                               (static_cast<float>(sample / 64) + 0.5F) / 2);
      const float one = side(0, 1, at), two = side(1, 2, at), three = side(2, 0, at);
      if (std::min({std::fabs(one), std::fabs(two), std::fabs(three)}) < 1e-2F) continue;
      EXPECT_EQ(silhouette.covers(at), (one > 0) == (two > 0) && (two > 0) == (three > 0));
    }
  }
}

TEST(MeshSilhouetteTest, ASphereOverlapsItsOwnMask) {
  const TriangleMesh mesh = testing::scaled(testing::icosphere(4), 0.2F);
  MeshSilhouette silhouette(112, 2);
  silhouette.draw(project_vertices(mesh.vertices, float_pinhole(straight(), 112)), mesh.triangles);
  const FitMask mask = testing::ellipsoid_mask(0.2 * Eigen::Matrix3d::Identity(), straight(), 112);
  EXPECT_GT(silhouette.overlap(mask.coverage), 0.985);
  EXPECT_EQ(silhouette.overlap(std::vector<std::uint8_t>(mask.coverage.size(), 0)), 0);
  EXPECT_TRUE(silhouette.is_near_outline({56, 56 - 25}, 4));
  EXPECT_FALSE(silhouette.is_near_outline({56, 56}, 4));
}

TEST(MeshSilhouetteTest, TrianglesBehindTheCameraAreLeftOut) {
  const Points points = {{0, 0, 0}, {0.1F, 0, 0}, {0, 0.1F, 2}};
  MeshSilhouette silhouette(64, 1);
  silhouette.draw(project_vertices(points, float_pinhole(straight(), 64)), std::vector<Triangle>{{0, 1, 2}});
  EXPECT_EQ(silhouette.overlap(std::vector<std::uint8_t>(64 * 64, 0)), 1);
}

}  // namespace
}  // namespace p2mpp
