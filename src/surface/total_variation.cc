#include "surface/total_variation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/parallel.h"

namespace p2mpp {
namespace {

constexpr float kStep = 0.28867513F;  ///< 1 / sqrt(12): the steps' product is 1 / the gradient's squared norm
constexpr std::size_t kRows = 64;     ///< of a block
constexpr std::size_t kSide = kBlockSide;

/// A block's values with those of the next voxels: of its upper neighbours, or the block's own if there is none.
struct UpperHalo {
  float values[kSide + 1][kSide + 1][kSide + 1];
};

const float* block_at(const BlockGrid& grid, const std::vector<float>& values, const Eigen::Vector3i& place) {
  const std::int32_t slot = grid.slot(place);
  return slot < 0 ? nullptr : &values[static_cast<std::size_t>(slot) * kBlockVoxels];
}

void fill(const BlockGrid& grid, const std::vector<float>& values, std::size_t slot, UpperHalo& halo) {
  const float* own = &values[slot * kBlockVoxels];
  const Eigen::Vector3i place = grid.place(slot);
  const float* along_x = block_at(grid, values, place + Eigen::Vector3i::UnitX());
  const float* along_y = block_at(grid, values, place + Eigen::Vector3i::UnitY());
  const float* along_z = block_at(grid, values, place + Eigen::Vector3i::UnitZ());
  for (std::size_t z = 0; z < kSide; ++z) {
    for (std::size_t y = 0; y < kSide; ++y) {
      const std::size_t row = 64 * z + 8 * y;
      std::copy_n(own + row, kSide, halo.values[z][y]);
      halo.values[z][y][kSide] = along_x ? along_x[row] : own[row + 7];
    }
    std::copy_n(along_y ? along_y + 64 * z : own + 64 * z + 56, kSide, halo.values[z][kSide]);
  }
  for (std::size_t y = 0; y < kSide; ++y) {
    std::copy_n(along_z ? along_z + 8 * y : own + 448 + 8 * y, kSide, halo.values[kSide][y]);
  }
}

}  // namespace

TotalVariation::TotalVariation(const BlockGrid& grid, std::vector<float> start, int threads)
    : grid_(grid), threads_(threads), solid_(std::move(start)), ahead_(solid_) {
  for (std::vector<float>& flow : flow_) flow.assign(solid_.size(), 0);
}

TotalVariation::TotalVariation(const BlockGrid& grid, const TotalVariation& coarse, int threads)
    : grid_(grid), threads_(threads), solid_(grid.active() * kBlockVoxels) {
  for (std::vector<float>& flow : flow_) flow.resize(solid_.size());
  for_each_voxel(grid, threads, [&](std::size_t index) {
    const Eigen::Vector3i from = grid.voxel_at(index) / 2;
    solid_[index] = coarse.grid_.value(coarse.solid_, from, 0, 1);
    for (std::size_t axis = 0; axis < 3; ++axis) {  // relative to the voxel, the weight doubles
      flow_[axis][index] = 2 * coarse.grid_.value(coarse.flow_[axis], from, 0, 0);
    }
  });
  ahead_ = solid_;
}

void TotalVariation::run(const std::vector<float>& cost, float weight, int iterations) {
  for (int i = 0; i < iterations; ++i) {
    ascend(weight);
    descend(cost);
  }
}

void TotalVariation::ascend(float weight) {
  const float square = weight * weight;
  for_each_piece(grid_.active(), threads_, [&](std::size_t begin, std::size_t end) {
    UpperHalo halo;
    for (std::size_t slot = begin; slot < end; ++slot) {
      fill(grid_, ahead_, slot, halo);
      float* const flow_x = &flow_[0][slot * kBlockVoxels];
      float* const flow_y = &flow_[1][slot * kBlockVoxels];
      float* const flow_z = &flow_[2][slot * kBlockVoxels];
      for (std::size_t row = 0; row < kRows; ++row) {
        const float* here = halo.values[row / 8][row % 8];
        const float* next_y = halo.values[row / 8][row % 8 + 1];
        const float* next_z = halo.values[row / 8 + 1][row % 8];
        float* const x = flow_x + 8 * row;
        float* const y = flow_y + 8 * row;
        float* const z = flow_z + 8 * row;
        for (std::size_t i = 0; i < kSide; ++i) {
          const float dx = x[i] + kStep * (here[i + 1] - here[i]);
          const float dy = y[i] + kStep * (next_y[i] - here[i]);
          const float dz = z[i] + kStep * (next_z[i] - here[i]);
          const float share = weight / std::sqrt(std::max(square, dx * dx + dy * dy + dz * dz));
          x[i] = dx * share;
          y[i] = dy * share;
          z[i] = dz * share;
        }
      }
    }
  });
}

void TotalVariation::descend(const std::vector<float>& cost) {
  for_each_piece(grid_.active(), threads_, [&](std::size_t begin, std::size_t end) {
    constexpr float kNothing[kSide] = {};
    for (std::size_t slot = begin; slot < end; ++slot) {
      const Eigen::Vector3i place = grid_.place(slot);
      const float* before_x = block_at(grid_, flow_[0], place - Eigen::Vector3i::UnitX());
      const float* before_y = block_at(grid_, flow_[1], place - Eigen::Vector3i::UnitY());
      const float* before_z = block_at(grid_, flow_[2], place - Eigen::Vector3i::UnitZ());
      const float* const x = &flow_[0][slot * kBlockVoxels];
      const float* const y = &flow_[1][slot * kBlockVoxels];
      const float* const z = &flow_[2][slot * kBlockVoxels];
      for (std::size_t row = 0; row < kRows; ++row) {
        const std::size_t at = 8 * row;
        const float* last_y = row % 8 > 0 ? y + at - 8 : before_y ? before_y + at + 56 : kNothing;
        const float* last_z = row >= 8 ? z + at - 64 : before_z ? before_z + at + 448 : kNothing;
        float last_x[kSide];
        last_x[0] = before_x ? before_x[at + 7] : 0;
        std::copy_n(x + at, kSide - 1, last_x + 1);
        const float* const costs = &cost[slot * kBlockVoxels + at];
        float* const solid = &solid_[slot * kBlockVoxels + at];
        float* const ahead = &ahead_[slot * kBlockVoxels + at];
        for (std::size_t i = 0; i < kSide; ++i) {
          const float inflow = x[at + i] - last_x[i] + y[at + i] - last_y[i] + z[at + i] - last_z[i];
          const float moved = std::min(std::max(solid[i] + kStep * (inflow - costs[i]), 0.0F), 1.0F);
          ahead[i] = 2 * moved - solid[i];
          solid[i] = moved;
        }
      }
    }
  });
}

}  // namespace p2mpp
