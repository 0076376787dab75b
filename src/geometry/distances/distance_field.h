#pragma once

#include <Eigen/Core>
#include <vector>

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

}  // namespace p2mpp
