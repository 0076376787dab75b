#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "rays/ray_scene.h"

namespace p2mpp {

/// Cosine-distributed directions around z [count], unit length. The set is fixed, so that pictures are deterministic.
/// Source: Hammersley points on the disc (van der Corput sequence, base 2), raised to the hemisphere (Malley).
[[nodiscard]] std::vector<Eigen::Vector3f> cosine_directions(std::size_t count);

/// A rotation that maps z to a unit normal. Source: T. Duff et al., "Building an Orthonormal Basis, Revisited", 2017.
[[nodiscard]] Eigen::Matrix3f basis_around(const Eigen::Vector3f& normal);

/// The visible share of the sky at each point [N]: the cosine-weighted share of directions around the normal in which
/// no surface is nearer than `reach`. It is 1 for a zero normal. Precondition: normals are unit vectors or zero.
[[nodiscard]] std::vector<float> sky_visibility(const RayScene& scene, std::span<const Eigen::Vector3f> points,
                                                std::span<const Eigen::Vector3f> normals, float reach, int threads);

/// The shadow of an object on a horizontal plane below it, under a uniform sky.
class GroundShadow {
 public:
  /// The plane touches the lowest of `points` (y up). Precondition: at least one point, and all are finite.
  GroundShadow(const RayScene& scene, std::span<const Eigen::Vector3f> points, int threads);

  [[nodiscard]] float height() const { return height_; }

  /// 0 if the whole sky is visible, and 1 if no part of it is. Interpolated linearly between the cells of a grid.
  [[nodiscard]] float at(float x, float z) const;

 private:
  static constexpr std::size_t kCells = 64;  ///< per side of the grid

  [[nodiscard]] static float fading(std::size_t cell);

  float height_ = 0;
  float left_ = 0, back_ = 0;      ///< smallest x and z of the grid
  float cell_x_ = 0, cell_z_ = 0;  ///< size of a cell
  std::vector<float> shadow_;      ///< [kCells, kCells], x fastest
};

}  // namespace p2mpp
