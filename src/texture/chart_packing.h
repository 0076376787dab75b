#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "texture/painted_surface.h"

namespace p2mpp {

/// Rows of texels, from `first` to `end` (exclusive).
struct TexelRows {
  int first = std::numeric_limits<int>::lowest(), end = std::numeric_limits<int>::max();
};

/// Calls visit(x, y, weights) for each texel of some rows whose centre is in a triangle; weights: of its corners. A
/// triangle without area has none. Takes a step for each row and for each texel in the triangle, but not for others in
/// its box. Precondition: corners that fit into an int.
template <typename Visit>
void for_each_texel(const Texels& corners, const Visit& visit, TexelRows rows = {}) {
  constexpr double kOnEdge = -1e-6;
  const Eigen::Vector2d a = corners[0].cast<double>(), b = corners[1].cast<double>() - a,
                        c = corners[2].cast<double>() - a;
  const double twice = b.x() * c.y() - b.y() * c.x();
  if (!(std::abs(twice) > 0)) return;
  const auto [left, right] = std::minmax({corners[0].x(), corners[1].x(), corners[2].x()});
  const auto [top, bottom] = std::minmax({corners[0].y(), corners[1].y(), corners[2].y()});
  const double first_column = std::ceil(left - 0.5F), last_column = std::floor(right - 0.5F);
  const int last_row = std::min(static_cast<int>(std::floor(bottom - 0.5F)), rows.end - 1);
  for (int y = std::max(static_cast<int>(std::ceil(top - 0.5F)), rows.first); y <= last_row; ++y) {
    const double down = y + 0.5 - a.y();
    double begin = first_column, end = last_column;
    // A corner's weight at a's column, and by how much it changes from column to column; both times `twice`.
    const auto keep_inside = [&](double weight, double step) {
      if (step == 0) return;
      const double reached = a.x() - 0.5 + (kOnEdge * twice - weight) / step;
      if (step / twice > 0) begin = std::max(begin, std::floor(reached));
      if (step / twice < 0) end = std::min(end, std::ceil(reached));
    };
    keep_inside(-down * c.x(), c.y());
    keep_inside(down * b.x(), -b.y());
    keep_inside(twice + down * (c.x() - b.x()), b.y() - c.y());
    if (begin > end) continue;
    for (int x = static_cast<int>(begin); x <= static_cast<int>(end); ++x) {
      const Eigen::Vector2d p = Eigen::Vector2d(x + 0.5, y + 0.5) - a;
      const double u = (p.x() * c.y() - p.y() * c.x()) / twice, v = (b.x() * p.y() - b.y() * p.x()) / twice;
      if (u < kOnEdge || v < kOnEdge || u + v > 1 - kOnEdge) continue;
      visit(x, y, Eigen::Vector3d(1 - u - v, u, v).cast<float>().eval());
    }
  }
}

/// Places charts, each beginning at (0, 0), in a texture of size x size texels, with `gap` texels between them and
/// half of that at the border. Returns where each begins; nullopt if they do not fit. Each chart comes to the place
/// where it leaves the least room unused below it, the highest charts first.
[[nodiscard]] std::optional<std::vector<Eigen::Vector2f>> pack_charts(const std::vector<std::vector<Texels>>& charts,
                                                                      int size, int gap);

}  // namespace p2mpp
