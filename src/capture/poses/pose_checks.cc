#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <optional>

#include "capture/poses/pose_refinement.h"
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

namespace {

constexpr std::size_t kFewestObjectingPoints = 50;

/// The pixel of a silhouette at which a point is seen; nullopt outside the image, or behind the camera.
std::optional<Eigen::Vector2d> pixel_in(const MaskView& silhouette, const Eigen::Vector3d& point) {
  const Eigen::Vector3d seen = silhouette.camera().cam_from_world(point);
  if (seen.z() <= 0) return std::nullopt;
  const Eigen::Vector2d pixel = silhouette.camera().pixel_of(seen);
  if ((pixel.array() < 1).any() || (pixel.array() > silhouette.width - 1).any()) return std::nullopt;
  return pixel;
}

/// How far outside its mask each camera sees a point, at most and on average, in pixels.
struct Excess {
  double most = 0, mean = 0;
};

Excess point_excess(const Eigen::Vector3d& point, std::span<const MaskView> silhouettes) {
  constexpr double kSlack = 1, kBehind = 100;  // pixels
  Excess excess;
  for (const MaskView& silhouette : silhouettes) {
    const Eigen::Vector3d seen = silhouette.camera().cam_from_world(point);
    const double outside = seen.z() > 0 ? std::max(0.0, -silhouette.distance_at(seen) - kSlack) : kBehind;
    excess.most = std::max(excess.most, outside);
    excess.mean += outside / static_cast<double>(silhouettes.size());
  }
  return excess;
}

constexpr int kPatchSide = 5;
using PosePatch = Eigen::Matrix<float, kPatchSide * kPatchSide, 1>;

/// The brightness of a patch around a point of the surface; nullopt if the camera does not see all of it, or if it has
/// no pattern.
std::optional<PosePatch> sample_patch(const MaskView& silhouette, const Eigen::Vector3d& point,
                                      const Eigen::Vector3d& side, const Eigen::Vector3d& up) {
  constexpr float kLeastPattern = 6;  // standard deviation of the brightness
  PosePatch patch;
  for (int k = 0; k < patch.size(); ++k) {
    const int column = k % kPatchSide - kPatchSide / 2, row = k / kPatchSide - kPatchSide / 2;
    const std::optional<Eigen::Vector2d> pixel = pixel_in(silhouette, point + column * side + row * up);
    if (!pixel || silhouette.distance_at(pixel->x(), pixel->y()) < 2) return std::nullopt;
    const auto x = static_cast<std::size_t>(pixel->x()), y = static_cast<std::size_t>(pixel->y());
    if (!silhouette.is_known(static_cast<int>(y), static_cast<int>(x))) return std::nullopt;
    patch[k] = silhouette.brightness[y * static_cast<std::size_t>(silhouette.width) + x];
  }
  patch.array() -= patch.mean();
  const float size = patch.norm();
  if (size < kLeastPattern * kPatchSide) return std::nullopt;
  return patch / size;
}

/// The two cameras that see a point of the surface most directly; nullopt if there are none.
std::optional<std::array<std::size_t, 2>> best_cameras(std::span<const MaskView> silhouettes,
                                                       const Eigen::Vector3d& point, const Eigen::Vector3d& normal) {
  constexpr double kLeastCosine = 0.5;
  std::array<double, 2> cosines = {kLeastCosine, kLeastCosine};
  std::array<std::size_t, 2> best = {silhouettes.size(), silhouettes.size()};
  for (std::size_t i = 0; i < silhouettes.size(); ++i) {
    const double cosine = normal.dot((silhouettes[i].camera().centre - point).normalized());
    if (cosine <= cosines[1]) continue;
    cosines[1] = cosine;
    best[1] = i;
    if (cosines[1] <= cosines[0]) continue;
    std::swap(cosines[0], cosines[1]);
    std::swap(best[0], best[1]);
  }
  return best[1] == silhouettes.size() ? std::nullopt : std::optional(best);
}

/// The mean correlation of patches; nullopt if there are few.
std::optional<double> likeness(const Hull& hull, std::span<const MaskView> silhouettes) {
  constexpr std::size_t kPoints = 3000, kFewestPatches = 60;
  double sum = 0;
  std::size_t count = 0;
  const std::size_t step = std::max<std::size_t>(1, hull.surface.size() / kPoints);
  for (std::size_t i = 0; i < hull.surface.size(); i += step) {
    const Eigen::Vector3d point = hull.surface[i].cast<double>();
    const Eigen::Vector3d normal = surface_normal(silhouettes, point);
    const auto cameras = best_cameras(silhouettes, point, normal);
    if (!cameras) continue;
    const MaskView &first = silhouettes[(*cameras)[0]], &second = silhouettes[(*cameras)[1]];
    const double pixel = (point - first.camera().centre).norm() / first.camera().focal.x();
    const Eigen::Vector3d side = normal.unitOrthogonal() * 1.5 * pixel, up = normal.cross(side);
    const std::optional<PosePatch> one = sample_patch(first, point, side, up),
                                   other = sample_patch(second, point, side, up);
    if (!one || !other) continue;
    sum += one->dot(*other);
    ++count;
  }
  return count < kFewestPatches ? std::nullopt : std::optional(sum / static_cast<double>(count));
}

bool have_brightness(std::span<const MaskView> silhouettes) {
  return std::ranges::none_of(silhouettes, [](const MaskView& each) { return each.brightness.empty(); });
}

}  // namespace

bool points_object(std::span<const Eigen::Vector3d> points, std::span<const MaskView> given,
                   std::span<const MaskView> corrected) {
  constexpr double kFarthest = 8, kNoise = 0.02;  // pixels: farther outside a mask are points of other things
  constexpr std::size_t kMost = 4000;
  double before = 0, after = 0;
  std::size_t count = 0;
  const std::size_t step = std::max<std::size_t>(1, points.size() / kMost);
  for (std::size_t i = 0; i < points.size(); i += step) {
    if (!points[i].allFinite()) continue;
    const Excess one = point_excess(points[i], given), other = point_excess(points[i], corrected);
    if (std::max(one.most, other.most) > kFarthest) continue;
    before += one.mean;
    after += other.mean;
    ++count;
  }
  return count >= kFewestObjectingPoints && after - before > kNoise * static_cast<double>(count);
}

bool pattern_objects(const Hull& given_hull, std::span<const MaskView> given, const Hull& corrected_hull,
                     std::span<const MaskView> corrected) {
  constexpr double kNoise = 0.01;
  if (!have_brightness(given)) return false;
  const std::optional<double> before = likeness(given_hull, given), after = likeness(corrected_hull, corrected);
  return before && after && *after < *before - kNoise;
}

}  // namespace p2mpp
