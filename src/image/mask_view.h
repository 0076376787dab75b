#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "geometry/cameras/pinhole.h"
#include "p2mpp/fit_mask.h"

namespace p2mpp {

/// A square mask with its camera: the cone in which the object is. "World" is the frame of the camera's pose: a
/// capture's, or a mesh's.
class MaskView : public Mask {
 public:
  MaskView() = default;
  /// With the distances to the mask's boundary. Precondition: the mask is a square of its camera's pixels.
  MaskView(Mask mask, const Pinhole<double>& camera);
  /// With its brightness. Precondition: check_mask() passes.
  explicit MaskView(const FitMask& mask);

  std::vector<std::uint8_t> brightness = {};  ///< of the photograph, [width, width]; empty if it is not known
  /// Of the photograph, [width, width] each: see blue_difference(), red_difference(); empty if they are not known.
  std::vector<std::uint8_t> blue = {}, red = {};
  double grain = 1;  ///< pixels per pixel of the mask that was drawn: above 1, the boundary is no more exact than that
  /// Nothing of the object is outside the square, unless it is unknown there. Else distances go on as at the border.
  bool has_margin = false;
  /// The view's axes in the frame of its photograph, whose camera has the same centre.
  Eigen::Matrix3d view_from_photograph = Eigen::Matrix3d::Identity();

  [[nodiscard]] const Pinhole<double>& camera() const { return camera_; }
  void set_camera(const Pinhole<double>& camera);
  void set_pose(const Eigen::Matrix3d& cam_from_world, const Eigen::Vector3d& centre);
  /// Moves the view with its photograph.
  void set_photograph_pose(const Rigid3& photograph_from_world);
  [[nodiscard]] const Pinhole<float>& float_camera() const { return float_camera_; }

  /// Replaces the mask and its distances.
  void set_mask(Mask mask);

  /// From a pixel's centre to the mask's boundary, in pixels, positive inside. Unknown pixels are inside: see
  /// MaskBoundary. Twice the side or more where the mask has no boundary.
  [[nodiscard]] float distance(int row, int column) const { return distances_[pixel_at(row, column)]; }
  /// The same at a continuous position, interpolated bilinearly. Outside the square, that of the nearest pixel, less
  /// the way to it if the mask has a margin.
  template <typename Scalar>
  [[nodiscard, gnu::always_inline]] Scalar distance_at(Scalar column, Scalar row) const;
  /// Where a point of the camera's frame is seen. Precondition: z > 0.
  [[nodiscard]] double distance_at(const Eigen::Vector3d& seen) const {
    const Eigen::Vector2d pixel = camera_.pixel_of(seen);
    return distance_at(pixel.x(), pixel.y());
  }

  /// How a point of the world appears in the mask.
  struct Sight {
    float distance;  ///< of the point's projection
    float pixel;     ///< the size of a pixel at the point, in the world's unit; 0 if the point is not in front, or so
                     ///< far aside that no image reaches it: there, the size says nothing of distances
  };
  [[nodiscard]] Sight see(const Eigen::Vector3f& point) const {
    const Eigen::Vector3f seen = float_camera_.cam_from_world(point);
    constexpr float kWidest = 4;  // the tangent of the angle from the axis: 76 degrees
    const bool is_in_front =
        seen.z() > nearest_ && seen.head<2>().squaredNorm() < kWidest * kWidest * seen.z() * seen.z();
    if (!is_in_front) return {-static_cast<float>(width), 0};
    const float scale = 1 / seen.z();
    return {distance_at(float_camera_.focal.x() * seen.x() * scale + float_camera_.principal_point.x(),
                        float_camera_.focal.y() * seen.y() * scale + float_camera_.principal_point.y()),
            seen.z() * pixel_};
  }

  /// Whether the mask shows the object at a pixel.
  [[nodiscard]] bool is_object(int row, int column) const { return distance(row, column) > 0 && is_known(row, column); }
  /// Whether anything is unknown within `reach` pixels of a position.
  [[nodiscard]] bool is_near_unknown(double column, double row, int reach) const;

  /// From the camera through a pixel's centre, in the world: of length 1 along the optical axis.
  [[nodiscard]] Eigen::Vector3f ray(int row, int column) const {
    return float_camera_.ray(static_cast<float>(column) + 0.5F, static_cast<float>(row) + 0.5F);
  }

 private:
  [[nodiscard]] std::size_t pixel_at(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(width) + static_cast<std::size_t>(column);
  }

  Pinhole<double> camera_;
  Pinhole<float> float_camera_;
  float pixel_ = 0;               // the size of a pixel at distance 1
  float nearest_ = 0;             // depth of a point that is seen, at least
  std::vector<float> distances_;  // [width, width]
};

template <typename Scalar>
inline Scalar MaskView::distance_at(Scalar column, Scalar row) const {
  const Scalar most = static_cast<Scalar>(width) - Scalar(1.001);
  const Scalar u = std::clamp(column - Scalar(0.5), Scalar(0), most),
               v = std::clamp(row - Scalar(0.5), Scalar(0), most);
  const int left = static_cast<int>(u), top = static_cast<int>(v);
  const Scalar s = u - static_cast<Scalar>(left), t = v - static_cast<Scalar>(top);
  const float* upper = &distances_[pixel_at(top, left)];
  const float* lower = upper + width;
  const Scalar above = upper[0] + (upper[1] - upper[0]) * s;
  const Scalar value = above + (lower[0] + (lower[1] - lower[0]) * s - above) * t;
  if (value >= 0 || !has_margin) return value;
  const Scalar beyond_x = column - Scalar(0.5) - u, beyond_y = row - Scalar(0.5) - v;
  return beyond_x == 0 && beyond_y == 0 ? value : value - std::hypot(beyond_x, beyond_y);
}

/// The mean size of a pixel at a point, of the median mask.
[[nodiscard]] float pixel_at(std::span<const MaskView> views, const Eigen::Vector3f& point);

/// For a fit in the view's world. `name`: for messages.
[[nodiscard]] FitMask to_fit_mask(const MaskView& view, std::string name);

}  // namespace p2mpp
