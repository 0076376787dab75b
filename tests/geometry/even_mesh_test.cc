#include "geometry/even_mesh.h"

#include <gtest/gtest.h>

#include <cmath>

#include "geometry/drawn_fields.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

using testing::ball;
using testing::onto_torus;
using testing::surface_of;
using testing::torus_field;

TEST(EvenMeshTest, ATorusHasAboutTheWantedVerticesEvenlySpaced) {
  for (const int wanted : {200, 1000, 20'000}) {  // fewer and more than marching cubes gives
    const TriangleMesh fine = surface_of(torus_field, 48, 1.5);
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

TEST(EvenMeshTest, ThreadsChangeNothing) {
  const TriangleMesh fine = surface_of(torus_field, 24, 1.5);
  const TriangleMesh one = even_mesh(fine, 800, onto_torus, 1), three = even_mesh(fine, 800, onto_torus, 3);
  EXPECT_EQ(one.triangles, three.triangles);
  EXPECT_EQ(one.vertices, three.vertices);
}

TEST(EvenMeshTest, SurfacesThatAreNotClosedAreRefused) {
  TriangleMesh mesh = surface_of(ball, 8, 1.2);
  mesh.triangles.pop_back();
  EXPECT_THROW(static_cast<void>(even_mesh(mesh, 100, onto_torus)), InputError);
}

}  // namespace
}  // namespace p2mpp
