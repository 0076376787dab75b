#include "hull/hull_votes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/parallel.h"

namespace p2mpp {
namespace {

constexpr float kSlack = 1.5F;         ///< pixels by which bilinear distances may be off
constexpr float kObliqueness = 1.25F;  ///< a ball's projection at the image's border, relative to that in its middle
constexpr std::size_t kMostAllowed = 31;

float reach_of(const MaskView::Sight& sight, float radius) { return kSlack + kObliqueness * radius / sight.pixel; }

}  // namespace

float block_radius(const BlockGrid& grid) { return std::sqrt(3.0F) / 2 * kBlockSide * grid.voxel(); }

HullVotes::Side HullVotes::side(const Eigen::Vector3f& middle, float radius) const {
  std::size_t outside = 0, crossed = 0;
  for (const MaskView& view : views_) {
    const MaskView::Sight sight = see(view, middle);
    if (sight.pixel == 0) {
      ++outside;
      continue;
    }
    const float reach = reach_of(sight, radius);
    outside += static_cast<std::size_t>(sight.distance < -reach);
    crossed += static_cast<std::size_t>(std::fabs(sight.distance) <= reach);
  }
  if (outside > allowance_) return Side::kOutside;
  return outside + crossed > allowance_ ? Side::kCrossed : Side::kInside;
}

std::vector<float> HullVotes::distances(const BlockGrid& grid, int threads) const {
  const float most = kReach * grid.voxel(), radius = block_radius(grid) + most;
  std::vector<float> values(grid.active() * kBlockVoxels);
  for_each_task(grid.active(), threads, [&](std::size_t slot) {
    float* const block = &values[slot * kBlockVoxels];
    const Eigen::Vector3f middle = grid.middle(grid.place(slot));
    std::vector<std::uint32_t> near;  // views whose surface may be near a voxel of the block
    std::size_t outside = 0;
    for (std::uint32_t i = 0; i < views_.size(); ++i) {
      const MaskView::Sight sight = see(views_[i], middle);
      const float reach = sight.pixel > 0 ? reach_of(sight, radius) : 0;
      if (sight.distance < -reach) {
        ++outside;
      } else if (sight.distance <= reach) {
        near.push_back(i);
      }
    }
    if (outside > allowance_) {
      std::fill_n(block, kBlockVoxels, -most);
      return;
    }
    for (std::size_t i = 0; i < kBlockVoxels; ++i) {
      block[i] = at(grid.centre(slot * kBlockVoxels + i), near, allowance_ - outside, most);
    }
  });
  return values;
}

/// The smallest distance but `allowance`.
float HullVotes::at(const Eigen::Vector3f& point, std::span<const std::uint32_t> views, std::size_t allowance,
                    float most) const {
  std::array<float, kMostAllowed + 1> least;
  const std::size_t count = std::min(allowance, kMostAllowed) + 1;
  std::fill_n(least.begin(), count, most);
  for (const std::uint32_t i : views) {
    const MaskView::Sight sight = see(views_[i], point);
    float value = sight.pixel > 0 ? std::max(sight.distance * sight.pixel, -most) : -most;
    for (std::size_t k = 0; k < count; ++k) {
      if (value < least[k]) std::swap(value, least[k]);
    }
  }
  return least[count - 1];
}

}  // namespace p2mpp
