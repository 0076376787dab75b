#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <random>
#include <string>

#include "geometry/not_finite.h"
#include "p2mpp/triangle_mesh.h"
#include "support/messages.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

using testing::kInfinity;
using testing::kNan;

using testing::draw_below;
using testing::icosphere;
using testing::join;
using testing::random_sphere;
using testing::tetrahedron;
using testing::torus;

struct Damage {
  std::string name;
  MeshStatus status;
  std::function<void(TriangleMesh&, std::mt19937_64&)> apply;
};

Triangle& random_triangle(TriangleMesh& mesh, std::mt19937_64& generator) {
  return mesh.triangles[static_cast<std::size_t>(draw_below(mesh.triangles.size(), generator))];
}

Eigen::Vector3f& random_vertex(TriangleMesh& mesh, std::mt19937_64& generator) {
  return mesh.vertices[static_cast<std::size_t>(draw_below(mesh.vertices.size(), generator))];
}

/// Glues another sphere on by one of its vertices.
void pinch(TriangleMesh& mesh, std::mt19937_64& generator) {
  const auto first_count = static_cast<std::int32_t>(mesh.vertices.size());
  const std::int32_t kept = draw_below(mesh.vertices.size(), generator);
  mesh = join(mesh, icosphere(0));
  const auto last = static_cast<std::int32_t>(mesh.vertices.size()) - 1;
  mesh.vertices.pop_back();
  for (Triangle& triangle : mesh.triangles) {
    std::replace(triangle.begin(), triangle.end(), last, kept);
  }
  ASSERT_GT(last, first_count);
}

const std::vector<Damage>& damages() {
  static const std::vector<Damage> all{
      {"NoVertices", MeshStatus::kEmpty, [](auto& mesh, auto&) { mesh.vertices.clear(); }},
      {"NoTriangles", MeshStatus::kEmpty, [](auto& mesh, auto&) { mesh.triangles.clear(); }},
      {"Nan", MeshStatus::kNonFiniteVertex,
       [](auto& mesh, auto& g) { random_vertex(mesh, g)[draw_below(3, g)] = kNan; }},
      {"Infinity", MeshStatus::kNonFiniteVertex,
       [](auto& mesh, auto& g) { random_vertex(mesh, g)[draw_below(3, g)] = -kInfinity; }},
      {"IndexTooLarge", MeshStatus::kVertexOutOfBounds,
       [](auto& mesh, auto& g) { random_triangle(mesh, g)[1] = static_cast<std::int32_t>(mesh.vertices.size()); }},
      {"IndexNegative", MeshStatus::kVertexOutOfBounds,
       [](auto& mesh, auto& g) { random_triangle(mesh, g)[2] = std::numeric_limits<std::int32_t>::min(); }},
      {"VertexTwice", MeshStatus::kDegenerateTriangle,
       [](auto& mesh, auto& g) {
         Triangle& triangle = random_triangle(mesh, g);
         triangle[2] = triangle[0];
       }},
      {"ExtraVertex", MeshStatus::kUnusedVertex,
       [](auto& mesh, auto&) {
         mesh.vertices.push_back({0, 0, 2});
       }},
      {"Hole", MeshStatus::kHole,
       [](auto& mesh, auto& g) {
         mesh.triangles.erase(mesh.triangles.begin() + draw_below(mesh.triangles.size(), g));
       }},
      {"DuplicateFace", MeshStatus::kNotManifold,
       [](auto& mesh, auto& g) {
         const Triangle copy = random_triangle(mesh, g);
         mesh.triangles.push_back(copy);
       }},
      {"PinchedVertex", MeshStatus::kNotManifold, pinch},
      {"FlippedFace", MeshStatus::kInconsistentWinding,
       [](auto& mesh, auto& g) {
         Triangle& triangle = random_triangle(mesh, g);
         std::swap(triangle[0], triangle[1]);
       }},
      {"TwoSurfaces", MeshStatus::kNotConnected, [](auto& mesh, auto&) { mesh = join(mesh, icosphere(0)); }},
  };
  return all;
}

class DamagedMesh : public ::testing::TestWithParam<Damage> {};

TEST_P(DamagedMesh, HasItsStatus) {
  std::mt19937_64 generator(21);
  for (int round = 0; round < 100; ++round) {
    TriangleMesh mesh = random_sphere(generator);
    GetParam().apply(mesh, generator);
    const MeshCheck check = check_mesh(mesh);
    ASSERT_EQ(to_string(check.status), to_string(GetParam().status)) << check.detail;
    EXPECT_HOLDS(check.detail, "; expected ");
    EXPECT_EQ(check.detail.find('\n'), std::string::npos);
    const bool is_winding = check.status == MeshStatus::kInconsistentWinding;
    EXPECT_EQ(check_topology(mesh).status, is_winding ? MeshStatus::kNoError : check.status);
  }
}

INSTANTIATE_TEST_SUITE_P(All, DamagedMesh, ::testing::ValuesIn(damages()),
                         [](const auto& test) { return test.param.name; });

TEST(CheckMesh, AcceptsClosedSurfaces) {
  std::mt19937_64 generator(22);
  for (int round = 0; round < 100; ++round) {
    const MeshCheck check = check_mesh(random_sphere(generator));
    EXPECT_TRUE(check.ok()) << check.detail;
    EXPECT_EQ(check.detail, "");
  }
  EXPECT_TRUE(check_mesh(tetrahedron()).ok());
  EXPECT_TRUE(check_mesh(torus(5, 4)).ok());
}

TEST(CheckMesh, FindsNoWindingForAOneSidedSurface) {
  EXPECT_EQ(check_mesh(testing::projective_plane()).status, MeshStatus::kInconsistentWinding);
  EXPECT_TRUE(check_topology(testing::projective_plane()).ok());
}

TEST(CheckMesh, ReportsTheFirstKindFirst) {
  TriangleMesh mesh = icosphere(1);
  mesh.triangles.push_back(mesh.triangles.front());   // crowded edges come first in the file,
  mesh.triangles.erase(mesh.triangles.begin() + 40);  // the hole later, but a hole is reported
  EXPECT_EQ(check_mesh(mesh).status, MeshStatus::kHole);
  std::swap(mesh.triangles[20][0], mesh.triangles[20][1]);
  EXPECT_EQ(check_mesh(mesh).status, MeshStatus::kHole);
  mesh.vertices[3].x() = kNan;
  EXPECT_EQ(check_mesh(mesh).status, MeshStatus::kNonFiniteVertex);
}

struct Message {
  std::function<void(TriangleMesh&)> damage;
  std::string text;
};

TEST(CheckMesh, NamesThePlaceAsAnObjDoes) {
  const std::vector<Message> messages{
      {[](auto& m) { m.vertices.clear(); }, "0 vertices; expected at least 1"},
      {[](auto& m) { m.triangles.clear(); }, "0 triangles; expected at least 1"},
      {[](auto& m) { m.vertices[1].y() = kInfinity; },
       "vertex 2, counted from 1, is (1, inf, -1); expected finite coordinates"},
      {[](auto& m) { m.triangles[2][0] = 4; }, "triangle 3, counted from 1, names vertex 5; expected 1 to 4"},
      {[](auto& m) { m.triangles[2][0] = std::numeric_limits<std::int32_t>::max(); },
       "triangle 3, counted from 1, names vertex 2147483648; expected 1 to 4"},
      {[](auto& m) { m.triangles[0][1] = 0; },
       "triangle 1, counted from 1, is 1 1 3; expected three different vertices"},
      {[](auto& m) {
         m.vertices.push_back({0, 0, 0});
       },
       "vertex 5, counted from 1, is in no triangle; expected every vertex in one"},
      {[](auto& m) { m.triangles.pop_back(); }, "edge 2-3, counted from 1, has 1 triangle; expected 2"},
      {[](auto& m) {
         m.triangles.push_back({2, 3, 1});
       },
       "edge 2-3, counted from 1, has 3 triangles; expected 2"},
      {[](auto& m) {
         m.triangles[3] = {3, 1, 2};
       },
       "edge 2-3, counted from 1, is traversed in the same direction by triangles 1 and 4; "
       "expected opposite directions"},
      {[](auto& m) { m = join(m, tetrahedron()); }, "2 separate surfaces; expected 1"},
      {[](auto& m) {
         m = join(m, tetrahedron());
         m.vertices.pop_back();
         for (Triangle& t : m.triangles) std::replace(t.begin(), t.end(), 7, 1);
       },
       "vertex 2, counted from 1, joins 2 separate fans of triangles; expected 1"},
  };
  for (const auto& [damage, text] : messages) {
    TriangleMesh mesh = tetrahedron();
    damage(mesh);
    EXPECT_EQ(check_mesh(mesh).detail, text);
  }
}

}  // namespace
}  // namespace p2mpp
