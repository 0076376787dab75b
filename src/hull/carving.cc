#include "hull/carving.h"

#include <limits>

#include "base/stop_token.h"
#include "hull/block_grid.h"
#include "hull/hull_votes.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

/// Sums of the hull's cells.
struct Cells {
  double count = 0;
  Eigen::Vector3f lower = Eigen::Vector3f::Constant(std::numeric_limits<float>::infinity()), upper = -lower;

  void add(const Eigen::Vector3f& middle, float side, double cells) {
    count += cells;
    lower = lower.cwiseMin(middle - Eigen::Vector3f::Constant(side / 2));
    upper = upper.cwiseMax(middle + Eigen::Vector3f::Constant(side / 2));
  }
};

}  // namespace

Hull carve(std::span<const MaskView> silhouettes, const Box& bounds, const CarvingOptions& options) {
  constexpr float kSurface = 1.5F;  // cells from the boundary: a ray that enters the hull meets one of them
  const HullVotes votes(silhouettes, options.allowance, options.tolerance);
  const float cell = (bounds.upper - bounds.lower).maxCoeff() / static_cast<float>(1 << options.depth);
  const Eigen::Vector3f size = bounds.upper - bounds.lower, block = Eigen::Vector3f::Constant(2 * kBlockSide * cell);
  const Eigen::Vector3i counts = (size.cwiseQuotient(block).array() - 1e-3F).ceil().cast<int>().cwiseMax(1);
  const BlockGrid coarse((bounds.lower + bounds.upper - counts.cast<float>().cwiseProduct(block)) / 2, 2 * cell,
                         counts);
  Cells cells;
  const BlockGrid grid = coarse.refined([&](const Eigen::Vector3i& place) -> std::int32_t {
    const Eigen::Vector3f middle = coarse.fine_middle(place);
    const HullVotes::Side side = votes.side(middle, block_radius(coarse) / 2);
    if (side == HullVotes::Side::kCrossed) return 0;
    if (side == HullVotes::Side::kInside) cells.add(middle, kBlockSide * cell, kBlockVoxels);
    return side == HullVotes::Side::kInside ? BlockGrid::kFull : BlockGrid::kEmpty;
  });
  end_if_stopped();
  const std::vector<float> distances = votes.distances(grid, 1, kSurface);
  Hull hull;
  hull.cell = cell;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (distances[i] < 0) continue;
    const Eigen::Vector3f centre = grid.centre(i);
    cells.add(centre, cell, 1);
    if (distances[i] < kSurface * cell) hull.surface.push_back(centre);
  }
  if (cells.count == 0) return hull;
  hull.volume = cells.count * hull.cell * hull.cell * hull.cell;
  hull.lower = cells.lower.cast<double>();
  hull.upper = cells.upper.cast<double>();
  return hull;
}

Hull carve(std::span<const MaskView> silhouettes, const CarvingOptions& options) {
  Hull hull = carve(silhouettes, object_box(silhouettes, options.allowance, 1), options);
  if (hull.surface.empty()) throw InputError(kNothingInCommon);
  return hull;
}

}  // namespace p2mpp
