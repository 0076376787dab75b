#include "texture/chart_packing.h"

#include <cstdint>
#include <numeric>

#include "base/thread_scopes.h"

namespace p2mpp {
namespace {

/// The blocks of texels that a chart covers, with half of the gap around it: from `top` to `bottom` (exclusive) in each
/// of its columns.
struct Outline {
  std::vector<int> top, bottom;
  int height = 0;
};

Outline chart_outline(const std::vector<Texels>& chart, int block, int margin) {
  float right = 0;
  for (const Texels& at : chart) right = std::max({right, at[0].x(), at[1].x(), at[2].x()});
  const auto column_of = [&](float x) { return static_cast<int>(std::floor(x / static_cast<float>(block))); };
  const auto columns = static_cast<std::size_t>(column_of(right + static_cast<float>(2 * margin)) + 1);
  Outline outline{std::vector<int>(columns, std::numeric_limits<int>::max()), std::vector<int>(columns, 0)};
  for (const Texels& at : chart) {
    // The triangle's box, moved by the margin and widened by it on all sides; its slopes matter little.
    const auto [left, most] = std::minmax({at[0].x(), at[1].x(), at[2].x()});
    const auto [upper, lower] = std::minmax({at[0].y(), at[1].y(), at[2].y()});
    const int first = column_of(left), last = column_of(most + static_cast<float>(2 * margin));
    const int top = column_of(upper), bottom = column_of(lower + static_cast<float>(2 * margin)) + 1;
    for (int column = first; column <= last; ++column) {
      const auto c = static_cast<std::size_t>(column);
      outline.top[c] = std::min(outline.top[c], top);
      outline.bottom[c] = std::max(outline.bottom[c], bottom);
    }
    outline.height = std::max(outline.height, bottom);
  }
  for (int& top : outline.top) top = std::min(top, outline.height);
  return outline;
}

/// Of the texture: no other chart may have them.
std::int64_t covered_blocks(const Outline& outline) {
  std::int64_t blocks = 0;
  for (std::size_t c = 0; c < outline.top.size(); ++c) blocks += std::max(0, outline.bottom[c] - outline.top[c]);
  return blocks;
}

struct Spot {
  int column = -1, row = 0;
};

/// Where a chart ends highest, then where it leaves the least room.
Spot best_spot(const Outline& outline, const std::vector<int>& horizon) {
  const auto width = static_cast<int>(outline.top.size()), columns = static_cast<int>(horizon.size());
  Spot best;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int column = 0; column + width <= columns; ++column) {
    int row = 0;
    std::int64_t used = 0;
    for (int c = 0; c < width; ++c) {
      const auto i = static_cast<std::size_t>(c);
      row = std::max(row, horizon[static_cast<std::size_t>(column + c)] - outline.top[i]);
    }
    for (int c = 0; c < width; ++c) {
      used += row + outline.top[static_cast<std::size_t>(c)] - horizon[static_cast<std::size_t>(column + c)];
    }
    if (row + outline.height > columns) continue;
    const std::int64_t cost = used + std::int64_t{width} * (row + outline.height);
    if (cost >= least) continue;
    least = cost;
    best = {column, row};
  }
  return best;
}

}  // namespace

std::optional<std::vector<Eigen::Vector2f>> pack_charts(const std::vector<std::vector<Texels>>& charts, int size,
                                                        int gap) {
  const int block = std::clamp(size / 512, 1, 4), margin = (gap + 1) / 2;
  const std::int64_t columns = size / block;
  std::int64_t left = columns * columns;
  std::vector<Outline> outlines;
  for (const std::vector<Texels>& chart : charts) {
    left -= covered_blocks(outlines.emplace_back(chart_outline(chart, block, margin)));
    if (left < 0) return std::nullopt;
  }
  std::vector<std::size_t> order(charts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return outlines[a].height > outlines[b].height; });
  std::vector<int> horizon(static_cast<std::size_t>(columns), 0);
  std::vector<Eigen::Vector2f> places(charts.size());
  for (const std::size_t chart : order) {
    end_if_stopped();
    const Outline& outline = outlines[chart];
    const Spot spot = best_spot(outline, horizon);
    if (spot.column < 0) return std::nullopt;
    for (std::size_t c = 0; c < outline.top.size(); ++c) {
      int& reached = horizon[static_cast<std::size_t>(spot.column) + c];
      reached = std::max(reached, spot.row + outline.bottom[c]);
    }
    places[chart] = Eigen::Vector2f(static_cast<float>(block * spot.column + margin),
                                    static_cast<float>(block * spot.row + margin));
  }
  return places;
}

}  // namespace p2mpp
