#include "render/drawing.h"
#include "render/picture_camera.h"

namespace p2mpp {
namespace {

TEST(MeshFrame, KnowsWhatIsInFrontOfACamera) {
  EXPECT_TRUE(is_in_front_of_camera(ball(0.28F, {0, 0, -0.8F}).vertices));
  EXPECT_TRUE(is_in_front_of_camera(ball(0.1F, {0.1F, -0.1F, -0.7F}).vertices));
  EXPECT_FALSE(is_in_front_of_camera(ball(0.28F).vertices));                    // around the origin
  EXPECT_FALSE(is_in_front_of_camera(ball(0.28F, {0, 0, 0.8F}).vertices));      // behind it
  EXPECT_FALSE(is_in_front_of_camera(ball(0.28F, {0.9F, 0, -0.8F}).vertices));  // far beside its axis
}

TEST(MeshFrame, SizeIsTheDiagonalAndNeverNothing) {
  EXPECT_FLOAT_EQ(object_size({{1, 2, 3}, {2, 4, 5}}), 3);
  EXPECT_FLOAT_EQ(object_size({{1e6F, 0, 0}, {1e6F + 4, 3, 0}}), 5);
  EXPECT_FLOAT_EQ(object_size({{0, 20, -5}}), 0.02F);
  EXPECT_GT(object_size({{0, 0, 0}}), 0);
}

TEST(MeshFrame, WorldAndCameraAreThereAndBack) {
  const CameraRow row{.azimuth_deg = 33, .elevation_deg = 21, .distance = 0.8F};
  const Points points = ball(0.2F).vertices;
  Points in_camera;
  for (const Eigen::Vector3f& point : points) {
    in_camera.push_back(camera_from_row(row).cam_from_world(point.cast<double>()).cast<float>());
  }
  EXPECT_TRUE(is_in_front_of_camera(in_camera));
  const Points back = world_from_camera(in_camera, camera_from_row(row));
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_LT((back[i] - points[i]).norm(), 1e-6F);
}

}  // namespace
}  // namespace p2mpp
