#pragma once

#include <span>
#include <vector>

#include "render/ray_scene.h"

namespace p2mpp {

/// How open the sky above each of some points is [N]: the share, by the cosine to the normal, of directions in which no
/// surface is nearer than `reach`. Expects unit normals or zero ones, which see all of it.
[[nodiscard]] std::vector<float> openness(const RayScene& scene, std::span<const Eigen::Vector3f> points,
                                          std::span<const Eigen::Vector3f> normals, float reach, int threads);

/// The shadow of what stands on a horizontal plane under an even sky.
class GroundShadow {
 public:
  /// The plane touches the lowest of `points`, y up. Expects a point, and finite ones.
  GroundShadow(const RayScene& scene, std::span<const Eigen::Vector3f> points, int threads);

  [[nodiscard]] float height() const { return height_; }

  /// 0 where the sky is open, 1 where none of it is seen; between the cells of a grid, linearly.
  [[nodiscard]] float at(float x, float z) const;

 private:
  static constexpr std::size_t kCells = 64;  ///< of the grid, a side

  [[nodiscard]] static float fading(std::size_t cell);

  float height_ = 0;
  float left_ = 0, back_ = 0;      ///< the grid's least x and z
  float cell_x_ = 0, cell_z_ = 0;  ///< size of a cell
  std::vector<float> shadow_;      ///< [kCells, kCells], x fastest
};

}  // namespace p2mpp
