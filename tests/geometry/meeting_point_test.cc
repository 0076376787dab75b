#include "geometry/cameras/meeting_point.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <vector>

namespace p2mpp {
namespace {

constexpr double kFar = 3;

std::vector<SightLine> lines_to(const Eigen::Vector3d& point) {
  std::vector<SightLine> lines;
  for (int i = 0; i < 8; ++i) {
    const Eigen::Vector3d way = Eigen::Vector3d(std::cos(i), 0.4, std::sin(i)).normalized();
    lines.push_back({point - kFar * way, way});
  }
  return lines;
}

TEST(MeetingPointTest, AWrongLineDoesNotMoveIt) {
  const Eigen::Vector3d point(0.3, -1, 2);
  std::vector<SightLine> lines = lines_to(point);
  EXPECT_NEAR((*meeting_point(lines) - point).norm(), 0, 1e-9);
  lines[2].origin.y() += 1;
  EXPECT_LT((*meeting_point(lines) - point).norm(), 0.02 * kFar);
}

TEST(MeetingPointTest, ParallelLinesHaveNone) {
  std::vector<SightLine> lines = lines_to({0, 0, 0});
  for (SightLine& line : lines) line.direction = Eigen::Vector3d::UnitX();
  EXPECT_FALSE(meeting_point(lines));
  EXPECT_FALSE(meeting_point({}));
}

}  // namespace
}  // namespace p2mpp
