#include "geometry/morph.h"

#include <gtest/gtest.h>

#include "p2mpp/error.h"
#include "support/temporary_folder.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

using testing::icosphere;
using testing::torus;

TEST(Morph, GoesEvenlyAndEndsExactly) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> coordinate(-1, 1);
  Points from(50), to(50);
  for (Points* points : {&from, &to}) {
    for (Eigen::Vector3f& point : *points) point = {coordinate(random), coordinate(random), coordinate(random)};
  }
  const MorphFrames frames = morph(from, to, 41);
  EXPECT_EQ(frames.rows(), 41);
  EXPECT_EQ(frame_vertices(frames, 0), from);
  EXPECT_EQ(frame_vertices(frames, 40), to);
  const Points quarter = frame_vertices(frames, 10);
  for (std::size_t i = 0; i < from.size(); ++i) {
    EXPECT_LT((quarter[i] - (0.75F * from[i] + 0.25F * to[i])).norm(), 1e-6F);
  }
}

TEST(Morph, SaysWhatDiffers) {
  TriangleMesh mesh = icosphere(1);
  EXPECT_REFUSED(check_same_template(mesh, icosphere(2)), "42 and 162 vertices");
  TriangleMesh other = mesh;
  std::swap(other.triangles[3][0], other.triangles[3][1]);  // another winding
  EXPECT_NO_THROW(check_same_template(mesh, other));
  std::swap(other.triangles[3], other.triangles[4]);
  EXPECT_REFUSED(check_same_template(mesh, other), "triangle 4, counted from 1, joins other vertices");
  other.triangles.pop_back();
  EXPECT_REFUSED(check_same_template(mesh, other), "80 and 79 triangles");
}

}  // namespace
}  // namespace p2mpp
