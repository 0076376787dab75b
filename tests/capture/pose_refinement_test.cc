#include "capture/poses/pose_refinement.h"

#include <gtest/gtest.h>

#include "capture/drawn_capture.h"
#include "hull/hull_projection.h"

namespace p2mpp {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

DrawnOptions options_for(int views) {
  return {.views = views, .elevation_range_deg = 20, .width = 240, .height = 180, .rolled = true};
}

/// The angle, in degrees, by which the object's middle is seen elsewhere than the exact cameras see it: mean over the
/// cameras.
double fit_error(const std::vector<MaskView>& silhouettes, const DrawnCapture& exact) {
  const std::vector<MaskView> truth = silhouettes_of(exact);
  const Eigen::Vector3d middle = exact.source_from_world.translation;
  double sum = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const Eigen::Vector3d a = silhouettes[i].camera().cam_from_world(middle);
    const Eigen::Vector3d b = truth[i].camera().cam_from_world(middle);
    sum += std::atan2(a.cross(b).norm(), a.dot(b)) * kDegrees;
  }
  return sum / static_cast<double>(truth.size());
}

double misfit(const std::vector<MaskView>& silhouettes) {
  const std::vector<SilhouetteFit> fits = silhouette_fits(carve(silhouettes), silhouettes);
  double sum = 0;
  for (const SilhouetteFit& fit : fits) sum += fit.unexplained;
  return sum / static_cast<double>(fits.size());
}

std::vector<MaskView> corrected(std::vector<MaskView> silhouettes, const PoseRefinement& refinement) {
  for (std::size_t i = 0; i < silhouettes.size(); ++i) correct_pose(refinement.corrections[i], silhouettes[i]);
  return silhouettes;
}

/// As the exact capture, and with wrong poses: a drawing's noise has no stream of its own, so it is added here.
DrawnCapture disturbed(DrawnCapture drawn, double degrees, double share, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto spread = [&](double range) { return (2 * draw_unit(random) - 1) * range; };
  for (Photograph& photograph : drawn.capture.photographs) {
    const double distance = (photograph.centre() - drawn.source_from_world.translation).norm();
    const Eigen::Vector3d axis = Eigen::Vector3d(spread(1), spread(1), spread(1)).normalized();
    const Eigen::Vector3d centre =
        photograph.centre() + share * distance * Eigen::Vector3d(spread(1), spread(1), spread(1));
    photograph.cam_from_source = rigid_from_centre(
        Eigen::AngleAxisd(spread(2 * degrees) / kDegrees, axis) * photograph.cam_from_source.rotation, centre);
  }
  return drawn;
}

TEST(PoseRefinement, CorrectsNoisyPosesFromSilhouettes) {
  for (const DrawnShape& shape : {drawn_chair(), drawn_plane(), drawn_torus()}) {
    const DrawnCapture exact = draw_capture(shape, options_for(12), 31);
    const DrawnCapture noisy = disturbed(exact, 1, 0.01, 5);
    const std::vector<MaskView> before = silhouettes_of(noisy);
    const PoseRefinement refinement = refine_poses(before);
    ASSERT_TRUE(refinement.applied) << shape.name;
    EXPECT_GT(refinement.mean_deg, 0.3);
    EXPECT_LE(refinement.largest_deg, kLargestCorrectionDeg);
    EXPECT_LT(refinement.after, 0.5 * refinement.before);
    const std::vector<MaskView> after = corrected(before, refinement);
    // The rest of the first error is shared by all cameras: no silhouette shows it.
    EXPECT_LT(fit_error(after, exact), 0.6 * fit_error(before, exact)) << shape.name;
    EXPECT_LT(misfit(after), 0.3 * misfit(before) + 0.002) << shape.name;
    EXPECT_EQ(refine_poses(before).corrections.back().move, refinement.corrections.back().move);
  }
}

TEST(PoseRefinement, LeavesExactPosesAlone) {
  for (const DrawnShape& shape : {drawn_chair(), drawn_ball()}) {
    const PoseRefinement refinement = refine_poses(silhouettes_of(draw_capture(shape, options_for(16), 31)));
    EXPECT_FALSE(refinement.applied) << shape.name << ": disagree by " << refinement.before;
    EXPECT_LT(refinement.before, 1) << shape.name;
  }
}

TEST(PoseRefinement, IsNotMisledByAWrongCamera) {
  const DrawnCapture exact = draw_capture(drawn_chair(), options_for(16), 31);
  DrawnCapture noisy = disturbed(exact, 1, 0.01, 5);
  Eigen::Matrix3d& wrong = noisy.capture.photographs[3].cam_from_source.rotation;
  wrong = (Eigen::AngleAxisd(12 / kDegrees, Eigen::Vector3d(1, 1, 0).normalized()) * wrong).eval();
  const std::vector<MaskView> before = silhouettes_of(noisy);
  const PoseRefinement refinement = refine_poses(before);
  ASSERT_TRUE(refinement.applied);
  EXPECT_EQ(refinement.corrections[3].turn, Eigen::Matrix3d::Identity());
  EXPECT_LE(refinement.largest_deg, kLargestCorrectionDeg);
  std::vector<MaskView> after = corrected(before, refinement);
  EXPECT_LT(fit_error(after, exact), fit_error(before, exact));
}

TEST(PoseRefinement, NeedsFourSilhouettes) {
  const DrawnCapture noisy = disturbed(draw_capture(drawn_chair(), options_for(4), 31), 1, 0.01, 5);
  std::vector<MaskView> silhouettes = silhouettes_of(noisy);
  silhouettes.pop_back();
  const PoseRefinement refinement = refine_poses(silhouettes);
  EXPECT_FALSE(refinement.applied);
  EXPECT_EQ(refinement.corrections.size(), 3U);
  EXPECT_FALSE(refine_poses({}).applied);
}

/// A photograph and its silhouette are moved alike.
TEST(PoseCorrection, KeepsPhotographAndSilhouetteTogether) {
  const DrawnCapture drawn = draw_capture(drawn_chair(), options_for(2), 3);
  MaskView silhouette = silhouettes_of(drawn)[0];
  Photograph photograph = drawn.capture.photographs[0];
  const Eigen::Matrix3d between = silhouette.camera().rotation * photograph.cam_from_source.rotation.transpose();
  PoseCorrection correction;
  correction.turn = Eigen::AngleAxisd(0.02, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  correction.move = Eigen::Vector3d(0.1, 0.2, -0.1);
  const Eigen::Vector3d centre = photograph.centre();
  correct_pose(correction, silhouette);
  correct_pose(correction, photograph);
  EXPECT_LT((photograph.centre() - centre - correction.move).norm(), 1e-9);
  EXPECT_LT((silhouette.camera().centre - photograph.centre()).norm(), 1e-9);
  EXPECT_LT((silhouette.camera().rotation * photograph.cam_from_source.rotation.transpose() - between).norm(), 1e-12);
  EXPECT_GT((photograph.cam_from_source.rotation - drawn.capture.photographs[0].cam_from_source.rotation).norm(), 0.01);
}

}  // namespace
}  // namespace p2mpp
