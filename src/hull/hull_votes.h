#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "image/mask_view.h"
#include "hull/block_grid.h"

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
  /// most kReach voxels, and -kReach voxels if a whole block is farther outside.
  [[nodiscard]] std::vector<float> distances(const BlockGrid& grid, int threads) const;

  static constexpr float kReach = 6;  ///< voxels

 private:
  [[nodiscard]] MaskView::Sight see(const MaskView& view, const Eigen::Vector3f& point) const {
    const MaskView::Sight sight = view.see(point);
    return {sight.distance + tolerance_, sight.pixel};
  }
  [[nodiscard]] float at(const Eigen::Vector3f& point, std::span<const std::uint32_t> views, std::size_t allowance,
                         float most) const;

  std::span<const MaskView> views_;
  std::size_t allowance_;
  float tolerance_;
};

/// The half diagonal of a block.
[[nodiscard]] float block_radius(const BlockGrid& grid);

}  // namespace p2mpp
