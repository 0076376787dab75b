#include <gtest/gtest.h>

#include "geometry/edge_uses.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

using testing::icosphere;
using testing::join;
using testing::projective_plane;
using testing::torus;

TEST(Winding, MixedWindingsBecomeOutward) {
  std::mt19937_64 generator(1);
  for (const TriangleMesh& sound : {icosphere(2), torus(12, 7)}) {
    TriangleMesh mixed = sound;
    testing::flip_some(mixed.triangles, generator);
    mixed.triangles = wound_for_display(mixed);
    EXPECT_TRUE(check_mesh(mixed).ok()) << check_mesh(mixed).detail;
    EXPECT_NEAR(signed_volume(mixed), signed_volume(sound), 1e-5);
  }
}

TEST(Winding, EachPartIsTurnedByItself) {
  TriangleMesh second = icosphere(1);
  for (Triangle& triangle : second.triangles) std::swap(triangle[0], triangle[1]);
  for (Eigen::Vector3f& vertex : second.vertices) vertex += Eigen::Vector3f(5, 0, 0);
  TriangleMesh both = join(icosphere(1), second);
  EXPECT_EQ(find_winding(both.triangles).component_count, 2U);
  both.triangles = wound_for_display(both);
  EXPECT_NEAR(signed_volume(both), 2 * signed_volume(icosphere(1)), 1e-4);
}

TEST(Winding, OpenAndCrowdedMeshesAreTakenAsTheyCome) {
  TriangleMesh open = icosphere(1);
  open.triangles.resize(50);
  std::swap(open.triangles[7][0], open.triangles[7][1]);
  const TriangleMesh wound{open.vertices, wound_for_display(open)};
  EXPECT_TRUE(find_winding(wound.triangles).orientable);
  EXPECT_EQ(check_mesh(wound).status, MeshStatus::kUnusedVertex);
  const std::vector<Triangle> fan = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}};  // three triangles on one edge
  EXPECT_EQ(find_winding(fan).component_count, 3U);
  EXPECT_EQ(find_winding({}).component_count, 0U);
  EXPECT_EQ(find_winding({{0, 0, 0}, {0, 1, 0}}).flips.size(), 2U);
}

TEST(Winding, KnowsOneSidedAndOpenSurfaces) {
  EXPECT_TRUE(find_winding(torus(5, 5).triangles).orientable);
  EXPECT_FALSE(find_winding(projective_plane().triangles).orientable);
  TriangleMesh mesh = icosphere(1);
  EXPECT_TRUE(is_closed(mesh.triangles));
  mesh.triangles.pop_back();
  EXPECT_FALSE(is_closed(mesh.triangles));
}

}  // namespace
}  // namespace p2mpp
