#include "backends/cpu/projection.h"

#include "backends/cpu/cpu_cases.h"
#include "backends/random_samples.h"
#include "backends/self_check/cpu_check.h"
#include "model/model.h"

namespace p2mpp {
namespace {

class ProjectionTest : public EveryInstructionSet {};
INSTANTIATE_TEST_SUITE_P(All, ProjectionTest, kTestedSets, set_name);

TEST_P(ProjectionTest, RandomCamerasMapsAndPoints) {
  constexpr ProjectionRules kRules[] = {{Sampling::kBilinear, false, false},
                                        {Sampling::kNearest, true, false},
                                        {Sampling::kFloorCeil, false, false},
                                        {Sampling::kBilinear, false, true}};
  for (const ProjectionRules& rules : kRules) {
    for (unsigned seed = 0; seed < 12; ++seed) {
      Draw draw(seed);
      constexpr std::size_t kMany[] = {8, 24, 64};
      const bool many = seed < std::size(kMany);
      const std::size_t view_count = many ? kMany[seed] : draw.whole(1, 5);
      std::vector<MapSizes> sizes;
      for (const int side : {many ? 14 : 224, 56, 7}) sizes.push_back({side, draw.whole(1, many ? 17 : 40)});
      const DrawnViews views(draw, view_count, sizes, rounded<float>);
      std::vector<float> points = drawn_points(draw, 30);
      points.insert(points.end(), {0, 0, 0});  // camera 0's own centre
      // Deviations near 0 are the root of a difference: 1e-3 is the smallest that there is.
      ASSERT_LT(relative_difference(looked_up(GetParam(), rules, views, points),
                                    plain::look_up(rules, views.cameras, views.maps, points).values),
                2e-4)
          << "seed " << seed << ", sampling " << static_cast<int>(rules.sampling);
    }
  }
}

// Of pinholes, the network's frame is no view's; of rows, it is the first view's.
TEST(ViewTransforms, LeadFromTheNetworksFrameToEachPixel) {
  for (const Sample& sample : {random_pinhole_sample(7, 3), random_sample(7, 3)}) {
    const std::vector<ViewTransform> views = view_transforms(cameras_of(sample, 1), stage1_rules(Semantics::kClean));
    ASSERT_EQ(views.size(), 3U);
    for (std::size_t i = 0; i < views.size(); ++i) {
      const Camera& camera = sample.views[i].camera;
      const Eigen::Vector3d point(0.1, -0.05, 0.07);  // in the world
      const Eigen::Vector3d in_network = network_frame(sample).cam_from_world(point);
      const Eigen::Vector3d found =
          Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(views[i].rotation) * in_network +
          Eigen::Map<const Eigen::Vector3d>(views[i].translation);
      EXPECT_LT((found - camera.cam_from_world(point)).norm(), 1e-12);
      EXPECT_EQ(views[i].fx, camera.intrinsics.fx);
      EXPECT_EQ(views[i].fy, camera.intrinsics.fy);
      EXPECT_EQ(views[i].cx, camera.intrinsics.cx);
      EXPECT_EQ(views[i].cy, camera.intrinsics.cy);
    }
  }
}

TEST(ProjectionLayout, HasEveryCheckpointColumnOnce) {
  const std::vector<std::size_t> channels = {16, 5, 33};
  for (const std::size_t evidence : {std::size_t{0}, kEvidenceChannels}) {
    const ProjectionLayout layout(channels, evidence > 0);
    EXPECT_EQ(layout.checkpoint_width(), 3U + 3 * (16 + 5 + 33 + evidence));
    EXPECT_EQ(layout.width(), 3U * (16 + 16 + 48 + evidence) + 3);
    std::vector<int> seen(layout.checkpoint_width(), 0);
    for (const std::size_t column : layout.checkpoint_columns()) {
      if (column != kNoColumn) ++seen.at(column);
    }
    EXPECT_EQ(seen, std::vector<int>(layout.checkpoint_width(), 1));
  }
}

// The evidence is the last map in the checkpoint's order and follows the point in the kernels'.
TEST(ProjectionLayout, TheEvidenceIsTheLastMap) {
  const ProjectionLayout layout(std::vector<std::size_t>{16, 32, 64}, true);
  EXPECT_EQ(layout.checkpoint_width(), 345U);
  EXPECT_EQ(padded_channels(layout.width()), 352U) << "as without evidence";
  const auto columns = layout.checkpoint_columns().subspan(layout.evidence_column());
  EXPECT_EQ(std::vector(columns.begin(), columns.end()), (std::vector<std::size_t>{115, 116, 229, 230, 343, 344}));
}

}  // namespace
}  // namespace p2mpp
