#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

#include "image/mask_view.h"

namespace p2mpp {

/// A cube around which everything is carved away.
struct CarvingBounds {
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  double half = 0;  ///< half its side
};

struct CarvingOptions {
  int depth = 7;            ///< a side of the bounds has 2^depth cells
  int allowance = 0;        ///< the largest number of silhouettes outside which a point of the hull may project
  double tolerance = 0.25;  ///< pixels of a silhouette: how far outside a point may project
};

/// The visual hull's surface: centres of the smallest cells that lie in it and at its boundary. In the source's frame.
struct Hull {
  double cell = 0;  ///< the side of a cell
  std::vector<Eigen::Vector3f> surface;
  double volume = 0;
  Eigen::Vector3d centroid = Eigen::Vector3d::Zero();
  Eigen::Vector3d lower = Eigen::Vector3d::Zero(), upper = Eigen::Vector3d::Zero();  ///< the box of its cells
  bool open = false;  ///< it reaches the bounds: it may be larger
};

/// The point nearest to the rays through the middles of the masks, robust against a wrong one; none if the cameras look
/// along one line.
[[nodiscard]] std::optional<Eigen::Vector3d> object_middle(std::span<const MaskView> silhouettes);

/// Carves a cube, coarse to fine: an octree whose cells are divided only where a silhouette's boundary crosses them.
/// Deterministic. Takes about 5 ms per silhouette with the default options. The hull may be empty.
[[nodiscard]] Hull carve(std::span<const MaskView> silhouettes, const CarvingBounds& bounds,
                         const CarvingOptions& options);

/// Finds the bounds of the object from the rays through the middles of the masks, and carves with increasing detail.
/// Throws InputError (without a file's name) if the silhouettes have no point in common, or if their cameras do not
/// enclose one (all look from one side).
[[nodiscard]] Hull carve(std::span<const MaskView> silhouettes, const CarvingOptions& options = {});

}  // namespace p2mpp
