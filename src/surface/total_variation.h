#pragma once

#include <array>
#include <vector>

#include "hull/block_grid.h"

namespace p2mpp {

/// Finds the share u of each voxel that belongs to the solid, 0 to 1. Minimises the sum of cost * u plus weight times
/// the total variation of u. Values are [active, 512], as in BlockGrid; blocks that are not active do not change, and
/// nothing pulls at their faces. Deterministic.
/// Source: Chambolle and Pock, "A First-Order Primal-Dual Algorithm for Convex Problems" (2011).
class TotalVariation {
 public:
  /// The grid must outlive this object. start: u.
  TotalVariation(const BlockGrid& grid, std::vector<float> start, int threads);

  /// Continues a solution on a grid of twice the voxel's size.
  TotalVariation(const BlockGrid& grid, const TotalVariation& coarse, int threads);

  /// `weight`: of the voxel's size. A large cost fixes a voxel's u at 0, a large negative one at 1.
  void run(const std::vector<float>& cost, float weight, int iterations);

  [[nodiscard]] const std::vector<float>& solution() const { return solid_; }

 private:
  void ascend(float weight);
  void descend(const std::vector<float>& cost);

  const BlockGrid& grid_;
  int threads_;
  std::vector<float> solid_, ahead_;        // u, and u extrapolated
  std::array<std::vector<float>, 3> flow_;  // the dual variable: from a voxel to the next along each axis
};

}  // namespace p2mpp
