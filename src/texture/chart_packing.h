#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "texture/painted_surface.h"

namespace p2mpp {

/// Calls visit(x, y, weights) for each texel whose centre is in a triangle; weights: of its corners. A triangle without
/// area has none.
template <typename Visit>
void for_each_texel(const Texels& corners, const Visit& visit) {
  const Eigen::Vector2d a = corners[0].cast<double>(), b = corners[1].cast<double>() - a,
                        c = corners[2].cast<double>() - a;
  const double twice = b.x() * c.y() - b.y() * c.x();
  if (!(std::abs(twice) > 0)) return;
  const auto [left, right] = std::minmax({corners[0].x(), corners[1].x(), corners[2].x()});
  const auto [top, bottom] = std::minmax({corners[0].y(), corners[1].y(), corners[2].y()});
  for (int y = static_cast<int>(std::ceil(top - 0.5F)); y <= static_cast<int>(std::floor(bottom - 0.5F)); ++y) {
    for (int x = static_cast<int>(std::ceil(left - 0.5F)); x <= static_cast<int>(std::floor(right - 0.5F)); ++x) {
      const Eigen::Vector2d p = Eigen::Vector2d(x + 0.5, y + 0.5) - a;
      const double u = (p.x() * c.y() - p.y() * c.x()) / twice, v = (b.x() * p.y() - b.y() * p.x()) / twice;
      constexpr double kOnEdge = -1e-6;
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
