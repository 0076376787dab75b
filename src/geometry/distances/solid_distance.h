#pragma once

#include <Eigen/Core>
#include <vector>

#include "geometry/distances/distance_field.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The distance to the surface of a solid that a mesh bounds, positive inside. The mesh may intersect itself. Near its
/// triangles the distance is exact; elsewhere it is that to the nearest point of a grid on the other side.
class SolidDistance {
 public:
  /// The grid covers a box and has about `cells` along the longest side. `near`: where distances are exact.
  SolidDistance(const TriangleMesh& mesh, const Eigen::Vector3f& lower, const Eigen::Vector3f& upper, int cells,
                float near, int threads);

  /// Trilinear. Outside the box, that of the nearest point in it. Thread-safe.
  [[nodiscard]] float at(const Eigen::Vector3f& point) const;

 private:
  [[nodiscard]] std::size_t index(int x, int y, int z) const {
    return static_cast<std::size_t>((z * counts_.y() + y) * counts_.x() + x);
  }
  [[nodiscard]] Eigen::Vector3f node(int x, int y, int z) const {
    return lower_ + cell_ * Eigen::Vector3f(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z));
  }
  [[nodiscard]] std::vector<float> distances_to(const TriangleMesh& mesh, float near, int threads) const;
  void add_far_distances(const std::vector<float>& exact, float near, int threads);

  Eigen::Vector3f lower_;
  float cell_;
  Eigen::Vector3i counts_;     // nodes along x, y, z
  std::vector<float> values_;  // [z, y, x]
};

/// The same of a mesh in a cube around the origin of the world, positive outside, as a field whose voxels have their
/// centres at the grid's nodes. Between them, sheets that are thinner than a voxel show in the magnitudes alone.
[[nodiscard]] DistanceField distances_to_mesh(const TriangleMesh& mesh, double half_side, int voxels, int threads);

}  // namespace p2mpp
