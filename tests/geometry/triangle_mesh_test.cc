#include "p2mpp/triangle_mesh.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>
#include <set>

#include "p2mpp/error.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

using testing::icosphere;
using testing::random_sphere;
using testing::tetrahedron;
using testing::torus;

TEST(UniqueEdges, AreSortedAndComplete) {
  std::mt19937_64 generator(31);
  for (int round = 0; round < 50; ++round) {
    const TriangleMesh mesh = random_sphere(generator);
    std::set<Edge> expected;
    for (const auto& [a, b, c] : mesh.triangles) {
      expected.insert({testing::sorted_edge(a, b), testing::sorted_edge(b, c), testing::sorted_edge(c, a)});
    }
    EXPECT_EQ(unique_edges(mesh.triangles), std::vector<Edge>(expected.begin(), expected.end()));
  }
  EXPECT_TRUE(unique_edges({}).empty());
}

TEST(EulerCharacteristic, CountsHandles) {
  std::mt19937_64 generator(32);
  for (int round = 0; round < 50; ++round) {
    EXPECT_EQ(euler_characteristic(random_sphere(generator)), 2);
  }
  EXPECT_EQ(euler_characteristic(torus(4, 6)), 0);
  EXPECT_EQ(euler_characteristic(testing::projective_plane()), 1);
  EXPECT_EQ(euler_characteristic(testing::join(tetrahedron(), tetrahedron())), 4);
}

TEST(SignedVolume, IsTheEnclosedOneInAnyPlace) {
  EXPECT_DOUBLE_EQ(signed_volume(tetrahedron()), 8.0 / 3);
  EXPECT_NEAR(signed_volume(icosphere(4)), 4.0 / 3 * std::numbers::pi, 0.02);
  TriangleMesh inside_out = tetrahedron();
  for (Triangle& triangle : inside_out.triangles) std::swap(triangle[0], triangle[1]);
  EXPECT_DOUBLE_EQ(signed_volume(inside_out), -8.0 / 3);
  EXPECT_EQ(signed_volume({}), 0);
  TriangleMesh mesh = tetrahedron();
  for (Eigen::Vector3f& vertex : mesh.vertices) vertex += Eigen::Vector3f(1 << 20, -(1 << 20), 64);
  EXPECT_DOUBLE_EQ(signed_volume(mesh), 8.0 / 3);
}

TEST(OrientedOutward, RepairsAnyWinding) {
  std::mt19937_64 generator(33);
  for (int round = 0; round < 100; ++round) {
    TriangleMesh mesh = round % 5 == 0 ? torus(3 + round % 4, 5) : icosphere(round % 3);
    testing::relabel(mesh, generator);
    EXPECT_EQ(oriented_outward(mesh), mesh.triangles);
    TriangleMesh mixed = mesh, inside_out = mesh;
    testing::flip_some(mixed.triangles, generator);
    for (Triangle& triangle : inside_out.triangles) std::swap(triangle[1], triangle[2]);
    EXPECT_EQ(oriented_outward(mixed), mesh.triangles);
    EXPECT_EQ(oriented_outward(inside_out), mesh.triangles);
  }
}

TEST(OrientedOutward, WindsAFlatMeshConsistently) {
  TriangleMesh mesh = icosphere(1);
  for (Eigen::Vector3f& vertex : mesh.vertices) vertex.z() = 0;
  std::mt19937_64 generator(35);
  testing::flip_some(mesh.triangles, generator);
  mesh.triangles = oriented_outward(mesh);
  EXPECT_TRUE(check_mesh(mesh).ok());
  EXPECT_GE(signed_volume(mesh), 0);
}

TEST(OrientedOutward, RefusesWhatHasNoOutside) {
  EXPECT_THROW((void)oriented_outward(testing::projective_plane()), InputError);
  TriangleMesh open = tetrahedron();
  open.triangles.pop_back();
  EXPECT_THROW((void)oriented_outward(open), InputError);
  EXPECT_THROW((void)oriented_outward({}), InputError);
}

}  // namespace
}  // namespace p2mpp
