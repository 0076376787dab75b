#include "capture/hull/hull_field.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace p2mpp {

HullField::HullField(std::span<const Silhouette> silhouettes, int allowance, double step)
    : silhouettes_(silhouettes), allowance_(static_cast<std::size_t>(allowance)), step_(step) {}

/// The distance from a point to the cone of a silhouette.
double HullField::distance(const Silhouette& silhouette, const Eigen::Vector3d& point) {
  const Eigen::Vector3d seen = silhouette.cam_from_source(point);
  const double away = seen.norm();
  if (!(seen.z() > 1e-9 * away)) return -away;
  return silhouette.distance_at(seen) / (silhouette.focal / seen.z());
}

HullField::DecidingSilhouette HullField::deciding_silhouette(const Eigen::Vector3d& point) const {
  // The smallest distances, ascending, one more than the allowance.
  constexpr std::size_t kMost = 32;
  std::array<DecidingSilhouette, kMost> least;
  const std::size_t count = std::min(allowance_ + 1, kMost);
  std::fill_n(least.begin(), count, DecidingSilhouette{std::numeric_limits<double>::infinity(), 0});
  for (std::size_t i = 0; i < silhouettes_.size(); ++i) {
    DecidingSilhouette next{distance(silhouettes_[i], point), i};
    for (std::size_t k = 0; k < count; ++k) {
      if (next.value < least[k].value) std::swap(next, least[k]);
    }
  }
  return least[count - 1];
}

float HullField::at(const Eigen::Vector3d& point) const { return static_cast<float>(deciding_silhouette(point).value); }

Eigen::Vector3f HullField::onto(const Eigen::Vector3f& point) const {
  constexpr int kSteps = 3;
  constexpr double kLongest = 4;  // of a step, in units of step_
  Eigen::Vector3d place = point.cast<double>();
  for (int i = 0; i < kSteps; ++i) {
    const DecidingSilhouette here = deciding_silhouette(place);
    const Silhouette& silhouette = silhouettes_[here.index];
    Eigen::Vector3d slope;
    for (int axis = 0; axis < 3; ++axis) {
      const Eigen::Vector3d aside = step_ * Eigen::Vector3d::Unit(axis);
      slope[axis] = (distance(silhouette, place + aside) - distance(silhouette, place - aside)) / (2 * step_);
    }
    const double steepness = slope.squaredNorm();
    if (steepness < 0.01) break;  // on a ridge of the distances
    Eigen::Vector3d way = -here.value / steepness * slope;
    if (const double length = way.norm(); length > kLongest * step_) way *= kLongest * step_ / length;
    place += way;
  }
  return place.cast<float>();
}

}  // namespace p2mpp
