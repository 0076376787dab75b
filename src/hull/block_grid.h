#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"

namespace p2mpp {

inline constexpr int kBlockSide = 8;  ///< voxels
inline constexpr std::size_t kBlockVoxels = 512;
inline constexpr int kGroupSide = 4;  ///< blocks

/// The voxels of a box, in blocks of 8x8x8. A block is empty, full or active: only active blocks store values.
class BlockGrid {
 public:
  static constexpr std::int32_t kEmpty = -1, kFull = -2;

  BlockGrid() = default;
  /// All blocks are active. `lower`: a corner of the first voxel. counts: blocks along x, y, z.
  BlockGrid(const Eigen::Vector3f& lower, float voxel, const Eigen::Vector3i& counts);

  /// The grid of half the voxel's size over the same box. state_of(place): kEmpty, kFull or, for an active block, 0.
  template <class State>
  [[nodiscard]] BlockGrid refined(const State& state_of) const {
    BlockGrid fine;
    fine.lower_ = lower_;
    fine.voxel_ = voxel_ / 2;
    fine.counts_ = 2 * counts_;
    fine.fill(state_of);
    return fine;
  }

  [[nodiscard]] float voxel() const { return voxel_; }
  [[nodiscard]] const Eigen::Vector3f& lower() const { return lower_; }
  [[nodiscard]] const Eigen::Vector3i& counts() const { return counts_; }
  [[nodiscard]] Eigen::Vector3f upper() const { return lower_ + kBlockSide * voxel_ * counts_.cast<float>(); }

  [[nodiscard]] std::size_t active() const { return places_.size(); }  ///< number of active blocks
  /// Of active blocks, by their slot: the block's place along x, y, z.
  [[nodiscard]] const Eigen::Vector3i& place(std::size_t slot) const { return places_[slot]; }
  /// The slot of an active block, or kEmpty or kFull; kEmpty outside the box.
  [[nodiscard]] std::int32_t slot(const Eigen::Vector3i& place) const {
    if ((place.array() < 0).any() || (place.array() >= counts_.array()).any()) return kEmpty;
    return slots_[index(place)];
  }

  /// Whether a block and all others of its group are empty.
  [[nodiscard]] bool is_in_empty_group(const Eigen::Vector3i& place) const {
    if ((place.array() < 0).any() || (place.array() >= counts_.array()).any()) return false;
    return is_group_used_[group(place)] == 0;
  }

  [[nodiscard]] Eigen::Vector3f middle(const Eigen::Vector3i& place) const {
    return lower_ + voxel_ * kBlockSide * (place.cast<float>() + Eigen::Vector3f::Constant(0.5F));
  }
  /// Of a block of the refined grid.
  [[nodiscard]] Eigen::Vector3f fine_middle(const Eigen::Vector3i& place) const {
    return lower_ + voxel_ / 2 * kBlockSide * (place.cast<float>() + Eigen::Vector3f::Constant(0.5F));
  }
  /// A voxel of an active block by its index in an array [active, 512], x fastest.
  [[nodiscard]] Eigen::Vector3i voxel_at(std::size_t index) const {
    const auto i = static_cast<int>(index % kBlockVoxels);
    return kBlockSide * places_[index / kBlockVoxels] + Eigen::Vector3i(i & 7, i >> 3 & 7, i >> 6);
  }
  /// Its centre.
  [[nodiscard]] Eigen::Vector3f centre(const Eigen::Vector3i& voxel) const {
    return lower_ + voxel_ * (voxel.cast<float>() + Eigen::Vector3f::Constant(0.5F));
  }
  [[nodiscard]] Eigen::Vector3f centre(std::size_t index) const { return centre(voxel_at(index)); }

  /// A voxel's value in such an array, or that of empty or full blocks.
  [[nodiscard]] float value(const std::vector<float>& values, const Eigen::Vector3i& voxel, float empty,
                            float full) const {
    if ((voxel.array() < 0).any()) return empty;
    const std::int32_t found = slot({voxel.x() >> 3, voxel.y() >> 3, voxel.z() >> 3});
    if (found < 0) return found == kEmpty ? empty : full;
    return values[index_of(found, voxel)];
  }
  /// A value between the centres of voxels, and its slope.
  struct Interpolated {
    float value;
    Eigen::Vector3f slope;
  };
  /// Trilinear.
  [[nodiscard]] Interpolated interpolate(const std::vector<float>& values, const Eigen::Vector3f& point, float empty,
                                         float full) const;

  /// The index of a voxel in its block.
  [[nodiscard]] static std::size_t within(const Eigen::Vector3i& voxel) {
    return static_cast<std::size_t>(((voxel.z() & 7) << 6) | ((voxel.y() & 7) << 3) | (voxel.x() & 7));
  }
  /// In an array [active, 512], of a voxel of the active block of that slot.
  [[nodiscard]] static std::size_t index_of(std::int32_t slot, const Eigen::Vector3i& voxel) {
    return static_cast<std::size_t>(slot) * kBlockVoxels + within(voxel);
  }

 private:
  [[nodiscard]] std::size_t index(const Eigen::Vector3i& place) const {
    return static_cast<std::size_t>((place.z() * counts_.y() + place.y()) * counts_.x() + place.x());
  }
  [[nodiscard]] std::size_t group(const Eigen::Vector3i& place) const {
    const auto groups = [this](int axis) { return (counts_[axis] + kGroupSide - 1) / kGroupSide; };
    return static_cast<std::size_t>(((place.z() / kGroupSide) * groups(1) + place.y() / kGroupSide) * groups(0) +
                                    place.x() / kGroupSide);
  }
  template <class State>
  void fill(const State& state_of) {
    is_group_used_.assign(group(counts_ - Eigen::Vector3i::Ones()) + 1, 0);
    slots_.resize(static_cast<std::size_t>(counts_.prod()));
    Eigen::Vector3i place;
    for (place.z() = 0; place.z() < counts_.z(); ++place.z()) {
      for (place.y() = 0; place.y() < counts_.y(); ++place.y()) {
        for (place.x() = 0; place.x() < counts_.x(); ++place.x()) {
          std::int32_t& slot = slots_[index(place)];
          slot = state_of(place);
          if (slot != kEmpty) is_group_used_[group(place)] = 1;
          if (slot < 0) continue;
          slot = static_cast<std::int32_t>(places_.size());
          places_.push_back(place);
        }
      }
    }
  }

  Eigen::Vector3f lower_ = Eigen::Vector3f::Zero();
  float voxel_ = 1;
  Eigen::Vector3i counts_ = Eigen::Vector3i::Zero();
  std::vector<std::int32_t> slots_;          // [z, y, x]
  std::vector<std::uint8_t> is_group_used_;  // of groups [z, y, x]: whether a block is not empty
  std::vector<Eigen::Vector3i> places_;      // of active blocks
};

/// The values of an active block and of `reach` voxels around it.
class BlockSurroundings {
 public:
  /// reach: at most 8.
  explicit BlockSurroundings(int reach);

  void gather(const BlockGrid& grid, const std::vector<float>& values, std::size_t slot, float empty, float full);

  /// Replaces the block's values by weighted sums along all three axes. weights: [2 reach + 1].
  void filter(std::span<const float> weights);

  /// x, y, z: from -reach to 7 + reach.
  [[nodiscard]] float at(int x, int y, int z) const {
    return values_[static_cast<std::size_t>(((z + reach_) * side_ + y + reach_) * side_ + x + reach_)];
  }
  /// i: of a voxel of the block, from 0 to 511.
  [[nodiscard]] float at(std::size_t i) const {
    const auto voxel = static_cast<int>(i);
    return at(voxel & 7, voxel >> 3 & 7, voxel >> 6);
  }
  [[nodiscard]] bool are_all(float value) const;

 private:
  int reach_, side_;
  std::vector<float> values_, sums_;  // [side, side, side], x fastest
};

/// Calls body(index, away) for the voxels of active blocks that are at most `reach` from a voxel along each axis. away:
/// from that voxel.
template <class Body>
void for_each_voxel_around(const BlockGrid& grid, const Eigen::Vector3i& middle, int reach, const Body& body) {
  Eigen::Vector3i away;
  for (away.z() = -reach; away.z() <= reach; ++away.z()) {
    for (away.y() = -reach; away.y() <= reach; ++away.y()) {
      for (away.x() = -reach; away.x() <= reach; ++away.x()) {
        const Eigen::Vector3i voxel = middle + away;
        const std::int32_t slot = (voxel.array() < 0).any() ? BlockGrid::kEmpty : grid.slot(voxel / kBlockSide);
        if (slot >= 0) body(BlockGrid::index_of(slot, voxel), away);
      }
    }
  }
}

/// Calls body(index) for every voxel of the active blocks.
template <class Body>
void for_each_voxel(const BlockGrid& grid, int threads, const Body& body) {
  for_each_task(grid.active(), threads, [&](std::size_t slot) {
    for (std::size_t i = 0; i < kBlockVoxels; ++i) body(slot * kBlockVoxels + i);
  });
}

}  // namespace p2mpp
