#include "geometry/even_mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "geometry/drawn_fields.h"
#include "geometry/intersecting.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

using testing::ball;
using testing::drawn_surface;
using testing::onto_torus;
using testing::torus_field;

TEST(EvenMeshTest, ATorusHasAboutTheWantedVerticesEvenlySpaced) {
  const TriangleMesh fine = drawn_surface(torus_field, 48, 1.5);
  for (const int wanted : {200, 1000, 20'000}) {  // fewer and more than marching cubes gives
    const TriangleMesh mesh = even_mesh(fine, static_cast<std::size_t>(wanted), onto_torus);
    EXPECT_TRUE(check_mesh(mesh).ok()) << check_mesh(mesh).detail;
    EXPECT_EQ(euler_characteristic(mesh), 0);
    EXPECT_NEAR(static_cast<double>(mesh.vertices.size()) / wanted, 1, 0.05);
    double sum = 0, squares = 0;
    const std::vector<Edge> edges = unique_edges(mesh.triangles);
    for (const Edge& edge : edges) {
      const double length =
          (mesh.vertices[static_cast<std::size_t>(edge[0])] - mesh.vertices[static_cast<std::size_t>(edge[1])]).norm();
      sum += length;
      squares += length * length;
    }
    const double mean = sum / static_cast<double>(edges.size());
    EXPECT_LT(std::sqrt(squares / static_cast<double>(edges.size()) / (mean * mean) - 1), 0.2) << wanted;
    for (const Eigen::Vector3f& vertex : mesh.vertices) EXPECT_NEAR((onto_torus(vertex) - vertex).norm(), 0, 1e-3);
  }
}

// A vertex of every 40th triangle lies beyond the opposite edge, so that the triangle is thin and faces inwards. The
// rounds do not bring all of these vertices onto the surface.
TEST(EvenMeshTest, MostFoldsAreUndone) {
  TriangleMesh folded = drawn_surface(torus_field, 48, 1.5);
  std::ptrdiff_t folds = 0;
  for (std::size_t i = 0; i < folded.triangles.size(); i += 40, ++folds) {
    const auto corner = [&](std::size_t k) -> Eigen::Vector3f& {
      return folded.vertices[static_cast<std::size_t>(folded.triangles[i][k])];
    };
    const Eigen::Vector3f middle = (corner(1) + corner(2)) / 2;
    corner(0) = middle + 0.1F * (middle - corner(0));
  }
  const TriangleMesh mesh = even_mesh(folded, 20'000, onto_torus);
  const auto is_off = [](const Eigen::Vector3f& vertex) { return (onto_torus(vertex) - vertex).norm() > 1e-3F; };
  EXPECT_LT(std::ranges::count_if(mesh.vertices, is_off), folds / 10);
}

// Its walls are less apart than the triangles are long.
TEST(EvenMeshTest, SurfacesCloseToEachOtherAreKeptApart) {
  const auto shells = [](const Eigen::Vector3d& point) {
    return static_cast<float>(0.02 -
                              std::fabs(point.norm() - 1 - 0.1 * std::sin(9 * point.x()) * std::cos(7 * point.y())));
  };
  const TriangleMesh fine = drawn_surface(shells, 60, 1.3);
  const auto stay = [](const Eigen::Vector3f& point) { return point; };
  const TriangleMesh mesh = even_mesh(fine, 1500, stay);
  EXPECT_EQ(testing::intersecting(mesh), 0U);
  EXPECT_LT(mesh.vertices.size(), fine.vertices.size() / 2);
  EXPECT_EQ(euler_characteristic(mesh), euler_characteristic(fine));
}

TEST(EvenMeshTest, SurfacesThatAreNotClosedAreRefused) {
  TriangleMesh mesh = drawn_surface(ball, 8, 1.2);
  mesh.triangles.pop_back();
  EXPECT_THROW(static_cast<void>(even_mesh(mesh, 100, onto_torus)), InputError);
}

}  // namespace
}  // namespace p2mpp
