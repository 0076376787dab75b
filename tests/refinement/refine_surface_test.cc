#include "refinement/refine_surface.h"

#include <gtest/gtest.h>

#include "fit/self_intersections.h"
#include "refinement/pitted_ball.h"

namespace p2mpp {
namespace {

using Detail = SurfaceChoice::Detail;

TEST(RefineSurfaceTest, FindsPitsThatNoSilhouetteShows) {
  const testing::BallPhotographs photographs(16);
  const TriangleMesh start = testing::plain_ball();
  SurfaceFigures figures, other;
  const TriangleMesh refined = refine_surface(start, photographs, Detail::kAutomatic, 1, figures);
  EXPECT_EQ(figures.photographs, 16U);
  EXPECT_GT(figures.refined, 0.5);
  EXPECT_GT(figures.agreement_after, figures.agreement_before);
  EXPECT_LT(testing::fit_error(refined), 0.5 * testing::fit_error(start));
  EXPECT_EQ(count_intersecting(refined.vertices, refined.triangles), 0U);
  EXPECT_EQ(refine_surface(start, photographs, Detail::kAutomatic, 3, other).vertices, refined.vertices)
      << "threads change nothing";
}

TEST(RefineSurfaceTest, FullDetailFindsThePitsToo) {
  const testing::BallPhotographs photographs(16);
  const TriangleMesh start = testing::plain_ball();
  SurfaceFigures figures;
  const TriangleMesh full = refine_surface(start, photographs, Detail::kFull, 2, figures);
  EXPECT_LT(testing::fit_error(full), 0.5 * testing::fit_error(start));
  EXPECT_EQ(count_intersecting(full.vertices, full.triangles), 0U);
}

/// All photographs are from above. The moves of what they see must not go on below.
TEST(RefineSurfaceTest, WhatNoPhotographSeesStays) {
  const testing::BallPhotographs photographs(16);
  const TriangleMesh start = testing::scaled(testing::plain_ball(), 1.02F);  // so that all that is seen moves in
  SurfaceFigures figures;
  const TriangleMesh refined = refine_surface(start, photographs, Detail::kAutomatic, 2, figures);
  EXPECT_GT(figures.refined, 0.5);
  const auto lowest = static_cast<float>(-0.9 * testing::kBallRadius);
  for (std::size_t i = 0; i < start.vertices.size(); ++i) {
    if (start.vertices[i].y() > lowest) continue;
    EXPECT_LT((refined.vertices[i] - start.vertices[i]).norm(), 0.2 * testing::kPit) << i;
  }
}

TEST(RefineSurfaceTest, ReflectionsMoveNothing) {
  const testing::BallPhotographs photographs(12, testing::Noise::kReflections);
  const TriangleMesh start = testing::plain_ball();
  SurfaceFigures figures;
  EXPECT_EQ(refine_surface(start, photographs, Detail::kAutomatic, 2, figures).vertices, start.vertices);
  EXPECT_EQ(figures.refined, 0);
}

/// As a phone's, whose own pixels tell nothing of the surface.
TEST(RefineSurfaceTest, NoisyPixelsKeepWhatCoarserOnesShow) {
  const testing::BallPhotographs photographs(16, testing::Noise::kOwnPixels);
  const TriangleMesh start = testing::plain_ball();
  SurfaceFigures figures;
  const TriangleMesh refined = refine_surface(start, photographs, Detail::kAutomatic, 2, figures);
  EXPECT_GT(figures.refined, 0.5);
  EXPECT_LT(testing::fit_error(refined), 0.7 * testing::fit_error(start)) << testing::fit_error(start);
}

TEST(RefineSurfaceTest, PlainSurfaceStaysSmoothBesideAPattern) {
  const testing::BallPhotographs photographs(16, testing::Noise::kPlainHalf);
  SurfaceFigures figures;
  const TriangleMesh refined = refine_surface(testing::plain_ball(), photographs, Detail::kAutomatic, 2, figures);
  EXPECT_GT(figures.refined, 0.3);
  double sum = 0, count = 0;
  for (const Eigen::Vector3f& vertex : refined.vertices) {
    if (static_cast<double>(vertex.x()) < 0.3 * testing::kBallRadius || vertex.y() < 0) continue;
    sum += std::pow(static_cast<double>(vertex.norm()) - testing::kBallRadius, 2);
    ++count;
  }
  EXPECT_LT(std::sqrt(sum / count), 0.2 * testing::kPit);
}

TEST(RefineSurfaceTest, FewPhotographsMoveNothing) {
  const testing::BallPhotographs photographs(7);
  const TriangleMesh start = testing::plain_ball();
  SurfaceFigures figures;
  EXPECT_EQ(refine_surface(start, photographs, Detail::kAutomatic, 2, figures).vertices, start.vertices);
  EXPECT_EQ(figures.photographs, 0U);
}

}  // namespace
}  // namespace p2mpp
