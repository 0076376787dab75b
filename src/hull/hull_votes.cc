#include "hull/hull_votes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/parallel.h"

namespace p2mpp {
namespace {

constexpr float kSlack = 1;            ///< pixels by which bilinear distances may be off
constexpr float kObliqueness = 1.25F;  ///< a ball's projection at the image's border, relative to that in its middle
constexpr std::size_t kMostAllowed = 31;

float find_reach(const MaskView::Sight& sight, float radius) { return kSlack + kObliqueness * radius / sight.pixel; }

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
    const float reach = find_reach(sight, radius);
    outside += static_cast<std::size_t>(sight.distance < -reach);
    crossed += static_cast<std::size_t>(std::fabs(sight.distance) <= reach);
  }
  if (outside > allowance_) return Side::kOutside;
  return outside + crossed > allowance_ ? Side::kCrossed : Side::kInside;
}

std::vector<float> HullVotes::distances(const BlockGrid& grid, int threads, float reach) const {
  std::vector<std::uint32_t> all(views_.size());
  std::iota(all.begin(), all.end(), 0U);
  std::vector<float> values(grid.active() * kBlockVoxels);
  for_each_task(grid.active(), threads, [&](std::size_t slot) {
    fill(grid, {kBlockSide * grid.place(slot), kBlockSide}, all, allowance_, reach, &values[slot * kBlockVoxels]);
  });
  return values;
}

void HullVotes::fill(const BlockGrid& grid, const Cube& cube, std::span<const std::uint32_t> views,
                     std::size_t allowance, float reach, float* block) const {
  const float most = reach * grid.voxel(), half = static_cast<float>(cube.side) / 2;
  const float radius = std::sqrt(3.0F) * half * grid.voxel() + most;
  const Eigen::Vector3f middle =
      grid.lower() + grid.voxel() * (cube.first.cast<float>() + Eigen::Vector3f::Constant(half));
  std::vector<std::uint32_t> near;  // views whose surface may be near a voxel of the cube
  std::size_t outside = 0;
  for (const std::uint32_t i : views) {
    const MaskView::Sight sight = see(views_[i], middle);
    const float pixels = sight.pixel > 0 ? find_reach(sight, radius) : 0;
    if (sight.distance < -pixels) {
      ++outside;
    } else if (sight.distance <= pixels) {
      near.push_back(i);
    }
  }
  const bool is_outside = outside > allowance;
  if (!is_outside && !near.empty() && static_cast<float>(cube.side) > 2 * reach) {
    const int side = cube.side / 2;
    for (int child = 0; child < 8; ++child) {
      const Eigen::Vector3i step(child & 1 ? side : 0, child & 2 ? side : 0, child & 4 ? side : 0);
      fill(grid, {cube.first + step, side}, near, allowance - outside, reach, block);
    }
    return;
  }
  Eigen::Vector3i at;
  for (at.z() = 0; at.z() < cube.side; ++at.z()) {
    for (at.y() = 0; at.y() < cube.side; ++at.y()) {
      for (at.x() = 0; at.x() < cube.side; ++at.x()) {
        const Eigen::Vector3i voxel = cube.first + at;
        block[BlockGrid::within(voxel)] =
            is_outside ? -most : this->at(grid.centre(voxel), near, allowance - outside, most);
      }
    }
  }
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
