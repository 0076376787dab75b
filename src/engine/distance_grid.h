#pragma once

#include <Eigen/Core>
#include <span>

#include "backends/distance_network.h"
#include "geometry/distance_field.h"
#include "p2mpp/camera.h"

// Where the distance network computes: python/p2mpp/volume/grid.py and predict.py.
namespace p2mpp {

inline constexpr int kCoarseVoxels = 32 * 32 * 32;  ///< of a prediction, at most
inline constexpr int kFineFactor = 2;               ///< fine voxels along the side of a coarse one

/// The rotation from the world, y up, to the network's frame: y stays up, and the camera looks along -z from above or
/// below.
[[nodiscard]] Eigen::Matrix3d upright_frame(const Eigen::Matrix3d& cam_from_world);

/// A grid of at most `voxels` voxels around a box, and of counts that are multiples of 4.
[[nodiscard]] VoxelGrid grid_over(const Eigen::Vector3d& lower, const Eigen::Vector3d& upper, int voxels);

/// A grid around the hull of the views' masks, within 0.33 of the frame's origin, where the object is, 0.57 across.
[[nodiscard]] VoxelGrid hull_grid(const DistanceViews& views, int voxels);

/// A grid in `grid` around what its coarse distances say is the object; `grid` itself if nothing is.
[[nodiscard]] VoxelGrid tightened(const VoxelGrid& grid, std::span<const float> distances, int voxels);

}  // namespace p2mpp
