#include <gtest/gtest.h>

#include "capture/drawn_capture.h"
#include "capture/poses/pose_refinement.h"

namespace p2mpp {
namespace {

TEST(PoseObjections, PointsObjectToCamerasThatSeeThemOutsideTheirMasks) {
  const DrawnCapture drawn = draw_capture(drawn_chair(), {.views = 8, .width = 160, .height = 120}, 31);
  const std::vector<MaskView> exact = silhouettes_of(drawn);
  std::vector<MaskView> turned = exact;
  for (std::size_t i = 0; i < turned.size(); ++i) {
    const double angle = (i % 2 == 0 ? 1 : -1) * 0.02;
    const Pinhole<double>& given = exact[i].camera();
    turned[i].set_pose(Eigen::AngleAxisd(angle, Eigen::Vector3d(1, 1, 0).normalized()) * given.rotation, given.centre);
  }
  std::vector<Eigen::Vector3d> points;
  for (const Eigen::Vector3f& point : carve(exact).surface) points.push_back(point.cast<double>());
  EXPECT_TRUE(points_object(points, exact, turned));
  EXPECT_FALSE(points_object(points, turned, exact));
  EXPECT_FALSE(points_object(points, exact, exact));
  points.resize(20);
  EXPECT_FALSE(points_object(points, exact, turned)) << "too few";
}

}  // namespace
}  // namespace p2mpp
