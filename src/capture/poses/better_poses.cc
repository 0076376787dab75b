#include "capture/poses/better_poses.h"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include "hull/carving.h"
#include "hull/hull_projection.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr double kPoseContradiction = 0.03;  ///< poses off by a degree and masks of a pixel's accuracy stay below
constexpr double kPoseAgreement = 0.4;       ///< of the given poses' disagreement: at most that

/// A silhouette's axes in its photograph if the photograph had another focal length: it looks nearer to the middle.
Eigen::Matrix3d with_focal_scale(const Eigen::Matrix3d& axes, double scale) {
  if (scale == 1) return axes;
  const Eigen::Vector3d middle = axes.row(2);
  const Eigen::Vector3d moved(middle.x() / scale, middle.y() / scale, middle.z());
  return axes * Eigen::Quaterniond::FromTwoVectors(middle, moved).toRotationMatrix().transpose();
}

}  // namespace

std::vector<MaskView> with_poses(const PoseAlternative& alternative, std::span<const MaskView> silhouettes,
                                 std::span<const std::size_t> owners) {
  std::vector<MaskView> moved(silhouettes.begin(), silhouettes.end());
  for (std::size_t i = 0; i < moved.size(); ++i) {
    Pinhole<double> camera = moved[i].camera();
    camera.focal *= alternative.focal_scale;
    moved[i].set_camera(camera);
    moved[i].view_from_photograph = with_focal_scale(moved[i].view_from_photograph, alternative.focal_scale);
    moved[i].set_photograph_pose(alternative.cam_from_source[owners[i]]);
  }
  return moved;
}

double mean_disagreement(std::span<const MaskView> silhouettes) {
  try {
    const std::vector<SilhouetteFit> fits = silhouette_fits(carve(silhouettes), silhouettes);
    double sum = 0;
    for (const SilhouetteFit& fit : fits) sum += fit.unexplained;
    return sum / static_cast<double>(fits.size());
  } catch (const InputError&) {
    return 1;
  }
}

BetterPoses better_poses(std::span<const PoseAlternative> alternatives, std::span<const MaskView> silhouettes,
                         std::span<const std::size_t> owners) {
  if (alternatives.empty()) return {};
  const double given = mean_disagreement(silhouettes);
  if (given < kPoseContradiction) return {};
  double best = kPoseAgreement * given;
  BetterPoses found;
  for (const PoseAlternative& alternative : alternatives) {
    const double other = mean_disagreement(with_poses(alternative, silhouettes, owners));
    if (other >= best) continue;
    best = other;
    found.alternative = &alternative;
    found.line =
        fmt::format("the masks contradict the cameras ({:.0f}% of a mask on average) and agree ({:.0f}%) if {}",
                    100 * given, 100 * other, alternative.mistake);
  }
  return found;
}

}  // namespace p2mpp
