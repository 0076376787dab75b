#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "p2mpp/fit_mask.h"

namespace p2mpp {

/// The cone of all points that project into a mask, with the distances to its surface.
class MaskCone {
 public:
  /// Precondition: check_mask() and check_shows_object() pass. The mask must outlive this object.
  explicit MaskCone(const FitMask& mask);

  /// How a point appears in the mask. Distances are in pixels, to the mask's boundary, positive inside. Outside the
  /// image, it is that of the nearest pixel.
  struct Sight {
    float distance;  ///< of the point's projection
    float pixel;     ///< the size of a pixel at the point, in the cameras' unit; 0 if the point is not in front, or so
                     ///< far aside that no image reaches it: there, the size says nothing of distances
  };
  [[nodiscard]] Sight see(const Eigen::Vector3f& point) const {
    const Eigen::Vector3f seen = rotation_ * point + translation_;
    constexpr float kWidest = 4;  // the tangent of the angle from the axis: 76 degrees
    const bool is_in_front =
        seen.z() > nearest_ && seen.head<2>().squaredNorm() < kWidest * kWidest * seen.z() * seen.z();
    if (!is_in_front) return {-static_cast<float>(size_), 0};
    const float scale = 1 / seen.z();
    return {distance_at(fx_ * seen.x() * scale + cx_, fy_ * seen.y() * scale + cy_), seen.z() * pixel_};
  }

  /// Whether the mask knows what a pixel shows.
  [[nodiscard]] bool is_known(int row, int column) const {
    return unknown_.empty() || unknown_[static_cast<std::size_t>(row) * static_cast<std::size_t>(size_) +
                                        static_cast<std::size_t>(column)] == 0;
  }
  /// Whether the mask shows the object at a pixel.
  [[nodiscard]] bool is_object(int row, int column) const { return distance(row, column) > 0 && is_known(row, column); }
  /// From a pixel's centre. What is unknown is inside: see MaskBoundary.
  [[nodiscard]] float distance(int row, int column) const {
    return distances_[static_cast<std::size_t>(row) * static_cast<std::size_t>(size_) +
                      static_cast<std::size_t>(column)];
  }

  [[nodiscard]] int size() const { return size_; }  ///< pixels of a side
  [[nodiscard]] const Eigen::Vector3f& centre() const { return centre_; }
  /// From the centre through a pixel's centre; of unit length along the optical axis.
  [[nodiscard]] Eigen::Vector3f ray(int row, int column) const {
    return rotation_.transpose() * Eigen::Vector3f((static_cast<float>(column) + 0.5F - cx_) / fx_,
                                                   (static_cast<float>(row) + 0.5F - cy_) / fy_, 1);
  }

 private:
  [[nodiscard]] float distance_at(float x, float y) const {
    const float most = static_cast<float>(size_) - 1.001F;
    const float u = std::clamp(x - 0.5F, 0.0F, most), v = std::clamp(y - 0.5F, 0.0F, most);
    const int column = static_cast<int>(u), row = static_cast<int>(v);
    const float s = u - static_cast<float>(column), t = v - static_cast<float>(row);
    const float* upper = &distances_[static_cast<std::size_t>(row * size_ + column)];
    const float* lower = upper + size_;
    const float above = upper[0] + (upper[1] - upper[0]) * s;
    return above + (lower[0] + (lower[1] - lower[0]) * s - above) * t;
  }

  int size_;
  Eigen::Matrix3f rotation_;     // cam_from_world; x right, y down, z forward
  Eigen::Vector3f translation_;  // of that
  Eigen::Vector3f centre_;
  float fx_, fy_, cx_, cy_;  // in the mask's pixels
  float pixel_;              // the size of a pixel at distance 1
  float nearest_;
  std::vector<float> distances_;           // [size, size]
  std::span<const std::uint8_t> unknown_;  // Mask::unknown
};

/// The mean size of a pixel at a point, of the median mask.
[[nodiscard]] float pixel_at(std::span<const MaskCone> cones, const Eigen::Vector3f& point);

}  // namespace p2mpp
