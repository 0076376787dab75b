#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "hull/block_grid.h"
#include "image/mask_view.h"

namespace p2mpp {

/// The visual hull of masks of which no single one has a veto: a point is outside if it projects outside more than
/// `allowance` masks.
class HullVotes {
 public:
  /// The views must outlive this object.
  /// tolerance: pixels by which a point may project outside a mask.
  HullVotes(std::span<const MaskView> views, int allowance, float tolerance = 0)
      : views_(views), allowance_(static_cast<std::size_t>(allowance)), tolerance_(tolerance) {}

  enum class Side : std::uint8_t { kOutside, kInside, kCrossed };
  /// Of a ball, if the masks' boundaries may be off by a pixel.
  [[nodiscard]] Side side(const Eigen::Vector3f& middle, float radius) const;

  /// At the centres of voxels of active blocks, approximately the distance to the hull's surface, positive inside. At
  /// most `reach` voxels, and -reach voxels if a whole cube of voxels is farther outside.
  [[nodiscard]] std::vector<float> distances(const BlockGrid& grid, int threads, float reach = 6) const;

 private:
  [[nodiscard]] MaskView::Sight see(const MaskView& view, const Eigen::Vector3f& point) const {
    const MaskView::Sight sight = view.see(point);
    return {sight.distance + tolerance_, sight.pixel};
  }
  struct Cube {
    Eigen::Vector3i first;  ///< voxel of the grid
    int side;
  };
  /// Of the voxels of a cube in a block, of which only `views` are asked.
  void fill(const BlockGrid& grid, const Cube& cube, std::span<const std::uint32_t> views, std::size_t allowance,
            float reach, float* block) const;
  [[nodiscard]] float at(const Eigen::Vector3f& point, std::span<const std::uint32_t> views, std::size_t allowance,
                         float most) const;

  std::span<const MaskView> views_;
  std::size_t allowance_;
  float tolerance_;
};

/// The half diagonal of a block.
[[nodiscard]] float block_radius(const BlockGrid& grid);

}  // namespace p2mpp
