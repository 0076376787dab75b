#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>

namespace p2mpp {

enum class LensModel {
  kRadialTangential,  ///< k1 k2 p1 p2 k3 k4 k5 k6: OpenCV's rational model, COLMAP's FULL_OPENCV
  kFisheye,           ///< k1 k2 k3 k4: cv::fisheye, COLMAP's OPENCV_FISHEYE
};

/// What some programs' lenses have beyond the model's coefficients. All 0: nothing.
struct LensExtras {
  std::array<double, 3> radial{};      ///< of the next even powers: from r^8 on, of a fisheye from angle^10 on
  std::array<double, 2> tangential{};  ///< p1 p2 of a fisheye
  /// What is added to p1 and p2 for r^2, and to both for r^4: Metashape's p3 and p4, 3DEqualizer's u3 and v3.
  std::array<double, 4> tangential_growth{};
  std::array<double, 4> prism{};  ///< s1 s2 s3 s4 of thin prisms, as OpenCV's
  bool after_radial = false;      ///< tangential and prism are those of the point that the radial distortion moved
  double shear = 0;               ///< pixels are at fx (x + shear y) + cx

  [[nodiscard]] bool operator==(const LensExtras&) const = default;
};

/// A calibrated lens. Its camera's frame is OpenCV's: x right, y down, z forward. Pixels are continuous: the image's
/// upper left corner is (0, 0), and the centre of its first pixel (0.5, 0.5).
struct Lens {
  LensModel model = LensModel::kRadialTangential;
  double fx = 1, fy = 1, cx = 0, cy = 0;  ///< pixels
  std::array<double, 8> coefficients{};   ///< in the model's order; those that it does not have are 0
  LensExtras extras = {};

  [[nodiscard]] bool operator==(const Lens&) const = default;
};

/// Throws InputError if a lens cannot project ("fx is 0; expected a positive number").
void check_lens(const Lens& lens);

/// A lens' mapping in both directions. Everything that does not depend on the pixel is computed once.
///
/// A radial polynomial is a fit to the calibrated pixels. Beyond the point where it stops growing it folds back, and
/// directions far outside the picture would land in it. Such directions have no pixel here.
/// Source of the formulas: OpenCV, cv::projectPoints and cv::fisheye::projectPoints.
/// Thread-safe: const functions may be called at the same time.
class LensMap {
 public:
  /// Precondition: check_lens() passes.
  explicit LensMap(const Lens& lens);

  /// The pixel of a direction (of any length) in the camera's frame; it may lie outside the image. nullopt if the
  /// direction is behind the camera, beyond limit(), zero or not finite. A fisheye sees behind z = 0.
  [[nodiscard]] std::optional<Eigen::Vector2d> pixel_of(const Eigen::Vector3d& direction) const;

  /// The unit direction that projects to this pixel, to 1e-12 of the focal length; nullopt if none within limit() does.
  [[nodiscard]] std::optional<Eigen::Vector3d> direction_of(const Eigen::Vector2d& pixel) const;

  /// Where the radial polynomial stops growing: the tangent of the angle to the axis for kRadialTangential (infinity
  /// if it never does), the angle in radians for kFisheye (pi if it never does).
  [[nodiscard]] double limit() const { return limit_; }

 private:
  /// Applies the distortion to a point of the plane z = 1 or, for a fisheye, of (angle, azimuth) in polar coordinates.
  [[nodiscard]] Eigen::Vector2d distorted(const Eigen::Vector2d& point) const;
  [[nodiscard]] Eigen::Matrix2d derivative_at(const Eigen::Vector2d& point) const;
  [[nodiscard]] double radial(double radius) const;
  [[nodiscard]] double factor(double square) const;                            ///< of the radius, of its square
  [[nodiscard]] double slope(double square) const;                             ///< of factor()
  [[nodiscard]] Eigen::Vector2d sideways(const Eigen::Vector2d& point) const;  ///< tangential and prisms
  [[nodiscard]] Eigen::Matrix2d sideways_derivative(const Eigen::Vector2d& point) const;
  [[nodiscard]] Eigen::Vector2d tangential(double square) const;        ///< p1 and p2 at this square of the radius
  [[nodiscard]] Eigen::Vector2d tangential_slope(double square) const;  ///< of tangential()
  [[nodiscard]] std::optional<double> radius_of(double distorted_radius) const;
  [[nodiscard]] std::optional<Eigen::Vector2d> undistorted(const Eigen::Vector2d& target) const;

  Lens lens_;
  double limit_;
  double p1_ = 0, p2_ = 0;
  bool is_radial_;  ///< nothing moves sideways
};

/// The same for a single direction or pixel. LensMap is faster for many: limit() takes microseconds.
[[nodiscard]] std::optional<Eigen::Vector2d> pixel_of(const Lens& lens, const Eigen::Vector3d& direction);
[[nodiscard]] std::optional<Eigen::Vector3d> direction_of(const Lens& lens, const Eigen::Vector2d& pixel);

}  // namespace p2mpp
