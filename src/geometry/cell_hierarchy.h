#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Points [begin, end) of a CellHierarchy that share a cell. All lie within `radius` of `representative`, which is one
/// of them.
struct Cell {
  std::uint32_t begin = 0, end = 0;
  Eigen::Vector3f representative = Eigen::Vector3f::Zero();
  double radius = 0;

  [[nodiscard]] std::size_t count() const { return end - begin; }
};

/// Points in the cells of an octree. At level L, the side of a cell is 2^-L times that of the cube around all points.
/// Thread-safe.
class CellHierarchy {
 public:
  static constexpr int kFinestLevel = 20;

  /// Precondition: at least one point, and all are finite.
  explicit CellHierarchy(std::span<const Eigen::Vector3f> points);

  /// The occupied cells of a level.
  [[nodiscard]] std::vector<Cell> cells(int level, int threads) const;

  /// The occupied cells of `level` inside the given cells of a coarser level, in their order.
  [[nodiscard]] std::vector<Cell> split(std::span<const Cell> coarser, int level, int threads) const;

 private:
  [[nodiscard]] Cell fitted(std::uint32_t begin, std::uint32_t end) const;

  Points points_;                     // sorted by code
  std::vector<std::uint64_t> codes_;  // Morton codes at the finest level
};

}  // namespace p2mpp
