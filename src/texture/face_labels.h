#pragma once

#include <cstdint>
#include <vector>

#include "texture/painted_surface.h"

namespace p2mpp {

/// A label that a triangle may have.
struct LabelCost {
  std::uint32_t label = 0;
  float cost = 0;
};

/// The labels of the triangles, one list after the other.
struct LabelCosts {
  std::vector<std::uint32_t> begin;  ///< [F + 1] places in `items`
  std::vector<LabelCost> items;
};

inline constexpr std::int32_t kNoLabel = -1;

/// A label for each triangle that has any [F]: low costs, and neighbours with the same label where that costs little.
/// `boundary`: the cost of an edge between two labels, for an edge as long as the others of its triangle. Begins with
/// costs that are averaged over the neighbourhood `rounds` times, so that regions become large, and improves one
/// triangle after the other (iterated conditional modes of a Potts model). Deterministic.
[[nodiscard]] std::vector<std::int32_t> smooth_labels(const PaintedSurface& surface, const LabelCosts& costs,
                                                      float boundary, int rounds);

}  // namespace p2mpp
