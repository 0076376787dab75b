#include "surface/hidden_places.h"

#include <algorithm>
#include <cstddef>

#include "base/parallel.h"

namespace p2mpp {
namespace {

/// Whether a voxel sees a camera. Positions count in voxels from the grid's lower corner.
bool sees(const BlockGrid& grid, const std::vector<float>& solid, const Eigen::Vector3f& from,
          const Eigen::Vector3f& camera) {
  constexpr float kNextTo = 1.8F;  // voxels: the surface is not quite where it is taken to be
  const Eigen::Vector3f way = (camera - from).normalized();
  const Eigen::Vector3f upper = kBlockSide * grid.counts().cast<float>();
  for (Eigen::Vector3f at = from + kNextTo * way; (at.array() >= 0).all() && (at.array() < upper.array()).all();
       at += way) {
    if (grid.value(solid, at.cast<int>(), 0, 1) > 0.5F) return false;
  }
  return true;
}

}  // namespace

std::vector<float> seeing_shares(const BlockGrid& grid, const std::vector<float>& solid,
                                 const std::vector<std::uint8_t>& asked, std::span<const MaskView> views, int threads) {
  const std::size_t count = std::min(views.size(), kMostAsked);
  std::vector<Eigen::Vector3f> cameras;
  for (std::size_t i = 0; i < count; ++i) {
    cameras.emplace_back((views[i * views.size() / count].float_camera().centre - grid.lower()) / grid.voxel());
  }
  std::vector<float> shares(solid.size(), 1);
  for_each_voxel(grid, threads, [&](std::size_t i) {
    if (asked[i] == 0) return;
    const Eigen::Vector3f from = grid.voxel_at(i).cast<float>() + Eigen::Vector3f::Constant(0.5F);
    const auto seeing =
        std::ranges::count_if(cameras, [&](const Eigen::Vector3f& camera) { return sees(grid, solid, from, camera); });
    shares[i] = static_cast<float>(seeing) / static_cast<float>(count);
  });
  return shares;
}

}  // namespace p2mpp
