#pragma once

#include <Eigen/Core>
#include <span>

#include "backends/distance_network.h"
#include "geometry/distances/distance_field.h"
#include "p2mpp/camera.h"
#include "p2mpp/sample.h"
#include "p2mpp/triangle_mesh.h"

// Where the distance network computes: python/p2mpp/volume/grid.py and predict.py.
namespace p2mpp {

inline constexpr int kCoarseVoxels = 20'000;  ///< of a prediction, at most
inline constexpr int kFineFactor = 4;         ///< fine voxels along the side of a coarse one

/// The prior's grid: half the side of the cube around the origin, and voxels along the side.
inline constexpr double kPriorHalf = 0.42;
inline constexpr int kPriorVoxels = 144;

/// The rotation from the world, y up, to the network's frame: y stays up, and the camera looks along -z from above or
/// below.
[[nodiscard]] Eigen::Matrix3d upright_frame(const Eigen::Matrix3d& cam_from_world);

/// A grid of at most `voxels` voxels around a box, and of counts that are multiples of 4.
[[nodiscard]] VoxelGrid grid_over(const Eigen::Vector3d& lower, const Eigen::Vector3d& upper, int voxels);

/// A grid around the hull of the views' masks, within 0.33 of the frame's origin, where the object is, 0.57 across.
[[nodiscard]] VoxelGrid hull_grid(const DistanceViews& views, int voxels);

/// A grid in `grid` around what its coarse distances say is the object; `grid` itself if nothing is.
[[nodiscard]] VoxelGrid tightened(const VoxelGrid& grid, std::span<const float> distances, int voxels);

/// Makes the connected parts of what is inside empty that are nowhere within `near` of the prior's surface or in its
/// solid: a few masks' hull has ghosts beside the object. Values of a grid's voxels, z fastest.
void drop_ghosts(const VoxelGrid& grid, const DistanceField& prior, double near, std::span<float> distances);

/// The distances that a network computes from a sample's views and the mesh of stage 2, in the world, in two passes:
/// over the box of the masks' hull, then over what the first pass found. Throws InputError if an image has no pixels.
[[nodiscard]] DistanceField predicted_distances(DistanceNetwork& network, const Sample& sample,
                                                const TriangleMesh& refined, int threads);

}  // namespace p2mpp
