#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace p2mpp {

/// What is seen of a surface at a point; all directions are unit vectors in the world's frame.
struct SurfacePoint {
  Eigen::Vector3f normal;  ///< towards the viewer's side
  Eigen::Vector3f to_viewer;
  Eigen::Vector3f colour;  ///< of the material, linear
  float openness = 1;      ///< share of the sky that is seen from there
};

/// A key light from the viewer's upper left, a fill light from the right, a sky that is brighter above: they turn with
/// the camera, so that the visible side is always lit.
class Lights {
 public:
  /// `axes` are the camera's, as rows: x right, y up, z towards the viewer.
  explicit Lights(const Eigen::Matrix3d& axes);

  /// The light that reaches the viewer, linear.
  [[nodiscard]] Eigen::Vector3f shade(const SurfacePoint& point) const;

 private:
  Eigen::Vector3f key_, fill_;
};

/// The material of a mesh without colours of its own, linear.
inline const Eigen::Vector3f kPlainColour{0.40F, 0.48F, 0.60F};

/// A linear value, cut to 0 to 1, as sRGB's 8 bits (IEC 61966-2-1), and back.
[[nodiscard]] std::uint8_t srgb_from_linear(float linear);
[[nodiscard]] float linear_from_srgb(std::uint8_t srgb);

}  // namespace p2mpp
