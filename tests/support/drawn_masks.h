#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <optional>
#include <vector>

#include "geometry/cameras/pinhole.h"
#include "p2mpp/fit.h"

namespace p2mpp::testing {

/// Cameras on a circle around the origin, at 0.8, 25 degrees above the horizon or below in turn.
inline std::vector<Camera> cameras_around(int count) {
  std::vector<Camera> cameras;
  for (int i = 0; i < count; ++i) {
    cameras.push_back(camera_from_row(
        {static_cast<float>(i) * 360 / static_cast<float>(count) + 10, i % 2 == 0 ? 25.0F : -35.0F, 0, 0.8F, 25}));
  }
  return cameras;
}

/// A mask whose pixels are covered by the share of their 4x4 samples for which `is_object`(column, row) holds.
inline FitMask sampled_mask(int size, const std::function<bool(double, double)>& is_object) {
  FitMask mask{{size, size, {}}};
  for (int row = 0; row < size; ++row) {
    for (int column = 0; column < size; ++column) {
      int count = 0;
      for (int k = 0; k < 16; ++k) count += is_object(column + (k % 4 + 0.5) / 4, row + (k / 4 + 0.5) / 4);
      mask.coverage.push_back(static_cast<std::uint8_t>(std::lround(255 * count / 16.0)));
    }
  }
  return mask;
}

/// The silhouette of {p : |A^-1 p| <= 1}, an ellipsoid around the origin, by its rays: exact but for the samples.
inline FitMask ellipsoid_mask(const Eigen::Matrix3d& axes, const Camera& camera, int size) {
  const Pinhole<double> pinhole = pinhole_of(camera, size);
  const Eigen::Matrix3d to_sphere = axes.inverse();
  FitMask mask = sampled_mask(size, [&](double x, double y) {
    const Eigen::Vector3d from = to_sphere * camera.origin, way = (to_sphere * pinhole.ray(x, y)).normalized();
    return (from - way * from.dot(way)).norm() <= 1;
  });
  mask.camera = camera;
  return mask;
}

inline std::vector<FitMask> ellipsoid_masks(const Eigen::Matrix3d& axes, int count, int size) {
  std::vector<FitMask> masks;
  for (const Camera& camera : cameras_around(count)) masks.push_back(ellipsoid_mask(axes, camera, size));
  return masks;
}

/// Where a ray enters a box around the origin.
inline std::optional<Eigen::Vector3d> first_hit_of_box(const Eigen::Vector3d& half, const Eigen::Vector3d& from,
                                                       const Eigen::Vector3d& way) {
  double begin = -1e9, end = 1e9;
  for (int k = 0; k < 3; ++k) {
    const double one = (-half[k] - from[k]) / way[k], other = (half[k] - from[k]) / way[k];
    begin = std::max(begin, std::min(one, other));
    end = std::min(end, std::max(one, other));
  }
  if (begin >= end) return {};
  return from + begin * way;
}

/// The silhouette of a box around the origin.
inline FitMask box_mask(const Eigen::Vector3d& half, const Camera& camera, int size) {
  const Pinhole<double> pinhole = pinhole_of(camera, size);
  FitMask mask = sampled_mask(
      size, [&](double x, double y) { return first_hit_of_box(half, camera.origin, pinhole.ray(x, y)).has_value(); });
  mask.camera = camera;
  return mask;
}

inline std::vector<FitMask> box_masks(const Eigen::Vector3d& half, int count, int size = 112) {
  std::vector<FitMask> masks;
  for (const Camera& camera : cameras_around(count)) masks.push_back(box_mask(half, camera, size));
  return masks;
}

/// Brightness of a pattern in space, 8 to 248.
inline std::uint8_t pattern_at(const Eigen::Vector3d& point) {
  const double pattern = std::sin(220 * point.x()) + std::sin(190 * point.y()) + std::sin(250 * point.z());
  return static_cast<std::uint8_t>(std::lround(128 + 40 * pattern));
}

/// A mask with the picture of a pattern. first_hit(from, way): where a ray of unit length first meets the object.
inline FitMask patterned_mask(
    const Camera& camera, int size,
    const std::function<std::optional<Eigen::Vector3d>(const Eigen::Vector3d&, const Eigen::Vector3d&)>& first_hit) {
  const Pinhole<double> pinhole = pinhole_of(camera, size);
  FitMask mask{{size, size, {}}};
  mask.camera = camera;
  for (int row = 0; row < size; ++row) {
    for (int column = 0; column < size; ++column) {
      const auto hit = first_hit(camera.origin, pinhole.ray(column + 0.5, row + 0.5).normalized());
      mask.coverage.push_back(hit ? 255 : 0);
      mask.brightness.push_back(hit ? pattern_at(*hit) : 0);
    }
  }
  return mask;
}

}  // namespace p2mpp::testing
