#pragma once

#include <Eigen/Core>
#include <vector>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Cubic voxels in a frame. The centre of voxel (x, y, z) is lower + voxel * (x + 0.5, y + 0.5, z + 0.5).
struct VoxelGrid {
  Eigen::Vector3d lower = Eigen::Vector3d::Zero();
  double voxel = 1;
  Eigen::Vector3i counts = Eigen::Vector3i::Zero();

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(counts.prod()); }
  [[nodiscard]] Eigen::Vector3d upper() const { return lower + voxel * counts.cast<double>(); }
  [[nodiscard]] Eigen::Vector3d centre(const Eigen::Vector3i& at) const {
    return lower + voxel * (at.cast<double>().array() + 0.5).matrix();
  }
  /// The place of a voxel by its number, z fastest.
  [[nodiscard]] Eigen::Vector3i place_of(std::size_t number) const {
    const auto y = static_cast<std::size_t>(counts.y()), z = static_cast<std::size_t>(counts.z());
    return Eigen::Matrix<std::size_t, 3, 1>(number / (y * z), number / z % y, number % z).cast<int>();
  }
  [[nodiscard]] Eigen::Vector3d centre(std::size_t number) const { return centre(place_of(number)); }
  /// The same box with voxels of a `factor`th of the side.
  [[nodiscard]] VoxelGrid refined(int factor) const { return {lower, voxel / factor, counts * factor}; }
};

/// A trilinear lookup between the centres of a grid's voxels, with the border's values beyond them.
struct VoxelCorners {
  std::size_t index[8];  ///< of voxels, z fastest
  float weight[8];

  /// `place`: in voxels from the grid's lower corner.
  VoxelCorners(const Eigen::Vector3i& counts, const Eigen::Vector3f& place);
};

/// Signed distances to a surface, positive outside, as a network computes them, or to a mesh.
struct DistanceField {
  VoxelGrid grid;
  Eigen::Matrix3d frame_from_world = Eigen::Matrix3d::Identity();  ///< a rotation
  std::vector<float> distances;                                    ///< [x, y, z], in the unit of the world
  std::vector<float> errors;  ///< expected magnitude of their errors, likewise; of a mesh: the distances' magnitude

  /// Distance and error at a point of the world. Beyond the grid, the distance to the grid is added. Thread-safe.
  struct Value {
    float distance, error;
  };
  [[nodiscard]] Value at(const Eigen::Vector3f& point) const;
};

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
