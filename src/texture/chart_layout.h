#pragma once

#include <array>
#include <cstddef>
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

/// A layout of a surface in a square texture.
struct ChartLayout {
  std::vector<Texels> texels;  ///< of the triangles
  std::size_t charts = 0;
  double texels_per_unit = 0;  ///< of the surface where it faces its chart
};

/// Lays a surface out in a texture of size x size texels: triangles that face one of a few directions and are connected
/// become a chart, their projection along the direction. No chart overlaps itself or another, and all have a distance
/// of chart_gap() texels, less only if they are so many that they need it. The layout depends on nothing but the
/// surface. Throws InputError if there are too many charts.
[[nodiscard]] ChartLayout lay_out(const PaintedSurface& surface, int size);

/// A layout of a mesh for textures of every size: where the corners of its triangles are, (0, 0) the upper left corner.
[[nodiscard]] std::vector<std::array<Eigen::Vector2f, 3>> layout_for_all_sizes(const TriangleMesh& mesh);

/// The distance between charts in a texture, so that mip levels up to 4 mix no two of them: 16 texels, less in small
/// textures.
[[nodiscard]] int chart_gap(int size);

}  // namespace p2mpp
