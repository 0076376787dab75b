#include "hull/block_grid.h"

#include <algorithm>
#include <array>
#include <utility>

namespace p2mpp {

BlockGrid::BlockGrid(const Eigen::Vector3f& lower, float voxel, const Eigen::Vector3i& counts)
    : lower_(lower), voxel_(voxel), counts_(counts) {
  fill([](const Eigen::Vector3i&) { return 0; });
}

BlockGrid::Interpolated BlockGrid::interpolate(const std::vector<float>& values, const Eigen::Vector3f& point,
                                               float empty, float full) const {
  const Eigen::Vector3f steps = (point - lower_) / voxel_ - Eigen::Vector3f::Constant(0.5F);
  const Eigen::Vector3f first = steps.array().floor();
  const Eigen::Vector3f part = steps - first;
  const Eigen::Vector3i voxel = first.cast<int>();
  std::array<float, 8> corners;
  for (int i = 0; i < 8; ++i) {
    corners[static_cast<std::size_t>(i)] =
        value(values, voxel + Eigen::Vector3i(i & 1, i >> 1 & 1, i >> 2), empty, full);
  }
  const auto mix = [](float a, float b, float share) { return a + (b - a) * share; };
  const auto& c = corners;
  const float x00 = mix(c[0], c[1], part.x()), x10 = mix(c[2], c[3], part.x());
  const float x01 = mix(c[4], c[5], part.x()), x11 = mix(c[6], c[7], part.x());
  const float y0 = mix(x00, x10, part.y()), y1 = mix(x01, x11, part.y());
  const Eigen::Vector3f slope(
      mix(mix(c[1] - c[0], c[3] - c[2], part.y()), mix(c[5] - c[4], c[7] - c[6], part.y()), part.z()),
      mix(x10 - x00, x11 - x01, part.z()), y1 - y0);
  return {mix(y0, y1, part.z()), slope / voxel_};
}

BlockSurroundings::BlockSurroundings(int reach)
    : reach_(reach),
      side_(kBlockSide + 2 * reach),
      values_(static_cast<std::size_t>(side_) * static_cast<std::size_t>(side_) * static_cast<std::size_t>(side_)),
      sums_(values_.size()) {}

void BlockSurroundings::gather(const BlockGrid& grid, const std::vector<float>& values, std::size_t slot, float empty,
                               float full) {
  const Eigen::Vector3i place = grid.place(slot);
  // The runs of voxels of one block along an axis.
  const std::array<int, 3> begin = {-reach_, 0, kBlockSide}, end = {0, kBlockSide, kBlockSide + reach_};
  for (std::size_t i = 0; i < 27; ++i) {
    const std::array<std::size_t, 3> run = {i % 3, i / 3 % 3, i / 9};
    const Eigen::Vector3i step(static_cast<int>(run[0]) - 1, static_cast<int>(run[1]) - 1,
                               static_cast<int>(run[2]) - 1);
    const std::int32_t other = grid.slot(place + step);
    for (int z = begin[run[2]]; z < end[run[2]]; ++z) {
      for (int y = begin[run[1]]; y < end[run[1]]; ++y) {
        float* const row = &values_[static_cast<std::size_t>(((z + reach_) * side_ + y + reach_) * side_ + reach_)];
        if (other < 0) {
          std::fill(row + begin[run[0]], row + end[run[0]], other == BlockGrid::kEmpty ? empty : full);
          continue;
        }
        const float* const from = &values[static_cast<std::size_t>(other) * kBlockVoxels];
        for (int x = begin[run[0]]; x < end[run[0]]; ++x) row[x] = from[BlockGrid::within({x, y, z})];
      }
    }
  }
}

void BlockSurroundings::filter(std::span<const float> weights) {
  const auto count = static_cast<int>(values_.size());
  for (const int stride : {1, side_, side_ * side_}) {
    const int margin = reach_ * stride;
    for (int i = margin; i < count - margin; ++i) {
      float sum = 0;
      for (int k = 0; k < static_cast<int>(weights.size()); ++k) {
        sum += weights[static_cast<std::size_t>(k)] * values_[static_cast<std::size_t>(i - margin + k * stride)];
      }
      sums_[static_cast<std::size_t>(i)] = sum;
    }
    std::swap(values_, sums_);
  }
}

bool BlockSurroundings::are_all(float value) const {
  return std::ranges::all_of(values_, [value](float each) { return each == value; });
}

}  // namespace p2mpp
