#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "image/mask_view.h"

namespace p2mpp {

struct Box {
  Eigen::Vector3f lower, upper;
};

inline constexpr const char* kNothingInCommon =
    "the silhouettes have no point in common; expected masks of one object, and the cameras of their photographs";

/// The point nearest to the rays through the middles of the masks, robust against a wrong one; none if the cameras look
/// along one line.
[[nodiscard]] std::optional<Eigen::Vector3d> object_middle(std::span<const MaskView> views);

/// A box around the hull of masks, of which `allowance` may object: see HullVotes. Throws InputError if the cameras
/// look along one line, if the masks have no point in common, or if they do not enclose one.
[[nodiscard]] Box object_box(std::span<const MaskView> views, int allowance, int threads);

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

/// The number of masks that should be allowed to object: the one with which the hull's silhouettes agree best with the
/// masks, away from their boundaries. `box`: around the hull with the largest number.
[[nodiscard]] int best_allowance(std::span<const MaskView> views, const Box& box, int threads);

/// The largest number of masks that best_allowance() returns: about a twelfth of them.
[[nodiscard]] int most_allowance(std::size_t masks);

}  // namespace p2mpp
