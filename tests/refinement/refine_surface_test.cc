#include "refinement/refine_surface.h"

#include <gtest/gtest.h>

#include "fit/self_intersections.h"
#include "refinement/pitted_ball.h"

namespace p2mpp {
namespace {

TEST(RefineSurfaceTest, FindsPitsThatNoSilhouetteShows) {
  const testing::BallPhotographs photographs(16);
  const TriangleMesh start = testing::plain_ball();
  SurfaceFigures figures, other;
  const TriangleMesh refined = refine_surface(start, photographs, 1, figures);
  EXPECT_EQ(figures.photographs, 16U);
  EXPECT_GT(figures.refined, 0.5);
  EXPECT_GT(figures.agreement_after, figures.agreement_before);
  EXPECT_LT(testing::error_of(refined), 0.5 * testing::error_of(start));
  EXPECT_EQ(count_intersecting(refined.vertices, refined.triangles), 0U);
  EXPECT_EQ(refine_surface(start, photographs, 3, other).vertices, refined.vertices) << "threads change nothing";
}

TEST(RefineSurfaceTest, ReflectionsMoveNothing) {
  const testing::BallPhotographs photographs(12, testing::Noise::kReflections);
  const TriangleMesh start = testing::plain_ball();
  SurfaceFigures figures;
  EXPECT_EQ(refine_surface(start, photographs, 2, figures).vertices, start.vertices);
  EXPECT_EQ(figures.refined, 0);
}

/// As a phone's, whose own pixels tell nothing of the surface.
TEST(RefineSurfaceTest, NoisyPixelsKeepWhatCoarserOnesShow) {
  const testing::BallPhotographs photographs(16, testing::Noise::kOwnPixels);
  const TriangleMesh start = testing::plain_ball();
  SurfaceFigures figures;
  const TriangleMesh refined = refine_surface(start, photographs, 2, figures);
  EXPECT_GT(figures.refined, 0.5);
  EXPECT_LT(testing::error_of(refined), 0.7 * testing::error_of(start)) << testing::error_of(start);
}

TEST(RefineSurfaceTest, FewPhotographsMoveNothing) {
  const testing::BallPhotographs photographs(7);
  const TriangleMesh start = testing::plain_ball();
  SurfaceFigures figures;
  EXPECT_EQ(refine_surface(start, photographs, 2, figures).vertices, start.vertices);
  EXPECT_EQ(figures.photographs, 0U);
}

}  // namespace
}  // namespace p2mpp
