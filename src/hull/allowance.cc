#include "hull/allowance.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/parallel.h"
#include "hull/block_grid.h"
#include "hull/ray_walk.h"

namespace p2mpp {
namespace {

/// Rays of a mask's pixels, by the smallest number of masks that object to a place on the ray; the last one: more.
struct RayHistogram {
  std::vector<std::size_t> object, background;
};

/// How many masks object to each voxel, at most `most`.
std::vector<std::uint8_t> objections(const BlockGrid& grid, std::span<const MaskView> views, int most, int threads) {
  constexpr float kSlack = 0.3F;  // voxels: thin parts may have no voxel's centre inside
  std::vector<std::uint8_t> counts(grid.active() * kBlockVoxels);
  for_each_voxel(grid, threads, [&](std::size_t index) {
    const Eigen::Vector3f centre = grid.centre(index);
    int count = 0;
    for (const MaskView& view : views) {
      const MaskView::Sight sight = view.see(centre);
      count += static_cast<int>(sight.pixel == 0 || sight.distance * sight.pixel < -kSlack * grid.voxel());
      if (count == most) break;
    }
    counts[index] = static_cast<std::uint8_t>(count);
  });
  return counts;
}

/// Pixels near the mask's boundary are left out, because voxels are coarse.
RayHistogram histogram_of(const BlockGrid& grid, const std::vector<std::uint8_t>& counts, const MaskView& view,
                          int most) {
  constexpr int kStride = 2;  // pixels
  const float pixel = view.see((grid.lower() + grid.upper()) / 2).pixel;
  const float near = pixel > 0 ? grid.voxel() / pixel : 0;
  RayHistogram found{std::vector<std::size_t>(static_cast<std::size_t>(most) + 1),
                     std::vector<std::size_t>(static_cast<std::size_t>(most) + 1)};
  for (int row = 0; row < view.width; row += kStride) {
    for (int column = 0; column < view.width; column += kStride) {
      if (std::fabs(view.distance(row, column)) < near || !view.is_known(row, column)) continue;
      int least = most;
      walk(grid, GridRay(grid, view.float_camera().centre, view.ray(row, column)),
           [&](std::int32_t slot, const Eigen::Vector3i& voxel) {
             const std::size_t index = BlockGrid::index_of(slot, voxel);
             least = std::min(least, static_cast<int>(counts[index]));
             return least == 0;
           });
      ++(view.is_object(row, column) ? found.object : found.background)[static_cast<std::size_t>(least)];
    }
  }
  return found;
}

}  // namespace

int most_allowance(std::size_t masks) { return static_cast<int>(std::min<std::size_t>((masks + 6) / 12, 30)); }

int best_allowance(std::span<const MaskView> views, const Box& box, int threads) {
  constexpr int kBlocks = 12;  // along the longest side
  const int most = most_allowance(views.size());
  if (most == 0) return 0;
  const Eigen::Vector3f size = box.upper - box.lower;
  const float block = size.maxCoeff() / kBlocks;
  const BlockGrid grid(box.lower, block / kBlockSide, (size / block).array().ceil().cast<int>().cwiseMax(1));
  const std::vector<std::uint8_t> counts = objections(grid, views, most + 1, threads);
  std::vector<RayHistogram> histograms(views.size());
  for_each_task(views.size(), threads,
                [&](std::size_t i) { histograms[i] = histogram_of(grid, counts, views[i], most + 1); });
  std::vector<double> overlaps(static_cast<std::size_t>(most) + 1);
  for (const RayHistogram& histogram : histograms) {
    std::size_t object = 0, both = 0, beyond = 0;
    for (const std::size_t count : histogram.object) object += count;
    for (std::size_t k = 0; k < overlaps.size(); ++k) {
      both += histogram.object[k];
      beyond += histogram.background[k];
      overlaps[k] +=
          static_cast<double>(both) / static_cast<double>(object + beyond) / static_cast<double>(views.size());
    }
  }
  return static_cast<int>(std::ranges::max_element(overlaps) - overlaps.begin());
}

}  // namespace p2mpp
