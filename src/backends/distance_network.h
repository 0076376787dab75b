#pragma once

#include <vector>

#include "geometry/distances/distance_field.h"
#include "p2mpp/camera.h"

namespace p2mpp {

/// The views that a distance network reads.
struct DistanceViews {
  std::vector<float> images;    ///< [views, 4, 224, 224]: blue, green, red, mask, 0 to 1; see preprocess()
  std::vector<Camera> cameras;  ///< in the frame of the grids
  DistanceField prior;          ///< of the mesh that the network corrects; its world is the frame of the grids
};

/// Distances of a grid's voxels, z fastest, positive outside, in units of kDistanceUnit coarse voxels, and the
/// logarithms of their errors.
struct NetworkDistances {
  std::vector<float> distances, log_errors;
};

/// Corrects signed distances to a mesh so that they are those to an object's surface, from any number of views:
/// python/p2mpp/volume/network.py. Not thread-safe.
class DistanceNetwork {
 public:
  virtual ~DistanceNetwork() = default;

  /// The views of the following calls.
  virtual void set_views(const DistanceViews& views) = 0;

  /// At the centres of a grid's voxels. Its counts are multiples of 4.
  [[nodiscard]] virtual NetworkDistances coarse(const VoxelGrid& grid) = 0;

  /// At the centres of grid.refined(factor), computed more exactly near the surface.
  [[nodiscard]] virtual NetworkDistances fine(const VoxelGrid& grid, int factor) = 0;
};

}  // namespace p2mpp
