#include "capture/poses/pose_alternatives.h"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include "capture/hull/carving.h"
#include "capture/hull/hull_projection.h"
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

/// The rotation of a quaternion x y z w that was read as w x y z.
Eigen::Matrix3d with_last_as_first(const Eigen::Matrix3d& rotation) {
  const Eigen::Quaterniond read(rotation);
  return Eigen::Quaterniond(read.z(), read.w(), read.x(), read.y()).toRotationMatrix();
}

template <typename Changed>
void add_alternative(const char* mistake, const Changed& changed, Capture& capture) {
  PoseAlternative alternative{mistake, {}};
  for (const Photograph& photograph : capture.photographs) {
    alternative.cam_from_source.push_back(changed(photograph.cam_from_source));
  }
  capture.alternatives.push_back(std::move(alternative));
}

}  // namespace

std::vector<Silhouette> with_poses(const PoseAlternative& alternative, std::span<const Photograph> photographs,
                                   std::span<const Silhouette> silhouettes, std::span<const std::size_t> owners) {
  std::vector<Silhouette> moved(silhouettes.begin(), silhouettes.end());
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const std::size_t owner = owners[i];
    const Rigid3& cam_from_source = alternative.cam_from_source[owner];
    // A silhouette's axes are fixed in its photograph's.
    const Eigen::Matrix3d axes = moved[i].rotation * photographs[owner].cam_from_source.rotation.transpose();
    moved[i].rotation = with_focal_scale(axes, alternative.focal_scale) * cam_from_source.rotation;
    moved[i].focal *= alternative.focal_scale;
    moved[i].centre = inverse(cam_from_source).translation;
  }
  return moved;
}

void add_other_angles(Capture& capture) {
  const auto other = [](const Rigid3& pose) {
    const Eigen::Matrix3d rotation =
        Eigen::Vector3d(1, -1, 1).asDiagonal() * pose.rotation * Eigen::Vector3d(1, 1, -1).asDiagonal();
    return rigid_from_centre(rotation, inverse(pose).translation);
  };
  add_alternative("pitch and roll have the other sign, as some programs write them", other, capture);
  capture.alternatives.back().is_convention = true;
}

void add_pose_alternatives(Capture& capture) {
  const auto add = [&](const char* mistake, const auto& changed) { add_alternative(mistake, changed, capture); };
  add("each camera is turned by 180 degrees about its x axis: are these OpenGL's axes (y up, z backwards) where "
      "OpenCV's "
      "(y down, z forward) are expected, or the other way round?",
      [](const Rigid3& pose) { return flip_y_and_z(pose); });
  add("each pose is inverted: are these poses from the world to the camera where those from the camera to the world "
      "are "
      "expected, or the other way round?",
      [](const Rigid3& pose) { return inverse(pose); });
  add("each pose is inverted and its camera turned by 180 degrees about its x axis: does the file have poses from the "
      "world to the camera where OpenGL's poses from the camera to the world are expected?",
      [](const Rigid3& pose) { return flip_y_and_z(inverse(flip_y_and_z(pose))); });
  add("each quaternion is read as x y z w: are they written as x y z w where w x y z is expected?",
      [](const Rigid3& pose) {
        return Rigid3{with_last_as_first(pose.rotation), pose.translation};
      });
  add("the object is behind all cameras and their axes are reversed: are the matrices left-handed (a projection K "
      "[R|t] of "
      "the other sign)? Expected rotations with the determinant 1",
      [](const Rigid3& pose) {
        return Rigid3{-pose.rotation, -pose.translation};
      });
}

double mean_disagreement(std::span<const Silhouette> silhouettes) {
  try {
    const std::vector<SilhouetteFit> fits = silhouette_fits(carve(silhouettes), silhouettes);
    double sum = 0;
    for (const SilhouetteFit& fit : fits) sum += fit.unexplained;
    return sum / static_cast<double>(fits.size());
  } catch (const InputError&) {
    return 1;
  }
}

BetterPoses better_poses(std::span<const PoseAlternative> alternatives, std::span<const Photograph> photographs,
                         std::span<const Silhouette> silhouettes, std::span<const std::size_t> owners) {
  if (alternatives.empty()) return {};
  const double given = mean_disagreement(silhouettes);
  if (given < kPoseContradiction) return {};
  double best = kPoseAgreement * given;
  BetterPoses found;
  for (const PoseAlternative& alternative : alternatives) {
    const double other = mean_disagreement(with_poses(alternative, photographs, silhouettes, owners));
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
