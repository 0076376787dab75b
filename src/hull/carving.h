#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "hull/object_box.h"
#include "image/mask_view.h"

namespace p2mpp {

struct CarvingOptions {
  int depth = 7;           ///< the longest side of the bounds has 2^depth cells; at least 4
  int allowance = 0;       ///< the largest number of silhouettes outside which a point of the hull may project
  float tolerance = 0.25;  ///< pixels of a silhouette: how far outside a point may project
};

/// The visual hull's cells and surface. In the source's frame.
struct Hull {
  double cell = 0;                       ///< the side of a cell
  std::vector<Eigen::Vector3f> surface;  ///< centres of the hull's cells that are near its boundary
  double volume = 0;
  Eigen::Vector3d lower = Eigen::Vector3d::Zero(), upper = Eigen::Vector3d::Zero();  ///< the box of its cells
};

/// Carves everything outside a box away, and what HullVotes call outside. Deterministic. The hull may be empty.
[[nodiscard]] Hull carve(std::span<const MaskView> silhouettes, const Box& bounds, const CarvingOptions& options);

/// Carves in the object's box. Throws as object_box(), or InputError if no cell is in the hull.
[[nodiscard]] Hull carve(std::span<const MaskView> silhouettes, const CarvingOptions& options = {});

}  // namespace p2mpp
