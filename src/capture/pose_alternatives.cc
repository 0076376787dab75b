#include "capture/pose_alternatives.h"

#include <fmt/format.h>

#include "capture/hull/carving.h"
#include "capture/hull/hull_projection.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr double kPoseContradiction = 0.03;  ///< poses off by a degree and masks of a pixel's accuracy stay below
constexpr double kPoseAgreement = 0.4;       ///< of the given poses' disagreement: at most that

std::vector<Silhouette> with_poses(const PoseAlternative& alternative, std::span<const Photograph> photographs,
                                   std::span<const Silhouette> silhouettes, std::span<const std::size_t> owners) {
  std::vector<Silhouette> moved(silhouettes.begin(), silhouettes.end());
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const std::size_t owner = owners[i];
    const Rigid3& cam_from_source = alternative.cam_from_source[owner];
    // A silhouette's axes are fixed in its photograph's.
    moved[i].rotation =
        moved[i].rotation * photographs[owner].cam_from_source.rotation.transpose() * cam_from_source.rotation;
    moved[i].centre = inverse(cam_from_source).translation;
  }
  return moved;
}

}  // namespace

PoseAlternative turned_about_x(std::span<const Photograph> photographs) {
  PoseAlternative alternative{
      "each camera is turned by 180 degrees about its x axis: are these OpenGL's axes (y up, z backwards) where "
      "OpenCV's "
      "(y down, z forward) are expected, or the other way round?",
      {}};
  for (const Photograph& photograph : photographs) {
    alternative.cam_from_source.push_back(flip_y_and_z(photograph.cam_from_source));
  }
  return alternative;
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

std::string better_poses(std::span<const PoseAlternative> alternatives, std::span<const Photograph> photographs,
                         std::span<const Silhouette> silhouettes, std::span<const std::size_t> owners) {
  if (alternatives.empty()) return {};
  const double given = mean_disagreement(silhouettes);
  if (given < kPoseContradiction) return {};
  double best = kPoseAgreement * given;
  std::string line;
  for (const PoseAlternative& alternative : alternatives) {
    const double other = mean_disagreement(with_poses(alternative, photographs, silhouettes, owners));
    if (other >= best) continue;
    best = other;
    line = fmt::format("the masks contradict the cameras ({:.0f}% of a mask on average) and agree ({:.0f}%) if {}",
                       100 * given, 100 * other, alternative.mistake);
  }
  return line;
}

}  // namespace p2mpp
