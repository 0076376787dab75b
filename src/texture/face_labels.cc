#include <algorithm>
#include <limits>
#include <span>

#include "base/thread_scopes.h"
#include "texture/chart_layout.h"

namespace p2mpp {
namespace {

constexpr int kMostSweeps = 20;
constexpr float kOutside = 1;  ///< the cost, in averages, of a label that a neighbour may not have

std::span<const LabelCost> allowed_labels(const LabelCosts& costs, std::size_t face) {
  return std::span(costs.items).subspan(costs.begin[face], costs.begin[face + 1] - costs.begin[face]);
}

/// The averages over each triangle and its neighbours.
std::vector<float> averaged(const PaintedSurface& surface, const LabelCosts& costs, const std::vector<float>& values) {
  end_if_stopped();
  std::vector<float> result(values.size());
  for (std::size_t face = 0; face < surface.triangles.size(); ++face) {
    for (std::size_t i = costs.begin[face]; i < costs.begin[face + 1]; ++i) {
      float sum = values[i], count = 1;
      for (const int neighbour : surface.neighbours[face]) {
        if (neighbour < 0) continue;
        const auto other = static_cast<std::size_t>(neighbour);
        if (costs.begin[other] == costs.begin[other + 1]) continue;
        float value = kOutside;
        for (std::size_t k = costs.begin[other]; k < costs.begin[other + 1]; ++k) {
          if (costs.items[k].label == costs.items[i].label) value = values[k];
        }
        sum += value;
        ++count;
      }
      result[i] = sum / count;
    }
  }
  return result;
}

/// The share of each edge in its triangle's three [3]; 1 on average.
std::array<float, 3> edge_shares(const PaintedSurface& surface, std::size_t face) {
  std::array<float, 3> lengths{};
  for (std::size_t i = 0; i < 3; ++i) lengths[i] = (surface.corner(face, (i + 1) % 3) - surface.corner(face, i)).norm();
  const float sum = lengths[0] + lengths[1] + lengths[2];
  for (float& length : lengths) length = sum > 0 ? 3 * length / sum : 1;
  return lengths;
}

std::int32_t best_label(const PaintedSurface& surface, const LabelCosts& costs, float boundary,
                        const std::vector<std::int32_t>& labels, std::size_t face) {
  const std::array<float, 3> shares = edge_shares(surface, face);
  float least = std::numeric_limits<float>::infinity();
  std::int32_t best = labels[face];
  for (const LabelCost& option : allowed_labels(costs, face)) {
    const auto label = static_cast<std::int32_t>(option.label);
    float cost = option.cost;
    for (std::size_t i = 0; i < 3; ++i) {
      const int neighbour = surface.neighbours[face][i];
      if (neighbour < 0) continue;
      const std::int32_t theirs = labels[static_cast<std::size_t>(neighbour)];
      if (theirs != kNoLabel && theirs != label) cost += boundary * shares[i];
    }
    if (cost < least || (cost == least && label == labels[face])) {
      least = cost;
      best = label;
    }
  }
  return best;
}

}  // namespace

std::vector<std::int32_t> smooth_labels(const PaintedSurface& surface, const LabelCosts& costs, float boundary,
                                        int rounds) {
  std::vector<float> values;
  values.reserve(costs.items.size());
  for (const LabelCost& item : costs.items) values.push_back(item.cost);
  for (int i = 0; i < rounds; ++i) values = averaged(surface, costs, values);
  std::vector<std::int32_t> labels(surface.triangles.size(), kNoLabel);
  for (std::size_t face = 0; face < labels.size(); ++face) {
    float least = std::numeric_limits<float>::infinity();
    for (std::size_t i = costs.begin[face]; i < costs.begin[face + 1]; ++i) {
      if (values[i] >= least) continue;
      least = values[i];
      labels[face] = static_cast<std::int32_t>(costs.items[i].label);
    }
  }
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    end_if_stopped();
    bool changed = false;
    for (std::size_t face = 0; face < labels.size(); ++face) {
      if (labels[face] == kNoLabel) continue;
      const std::int32_t best = best_label(surface, costs, boundary, labels, face);
      changed = changed || best != labels[face];
      labels[face] = best;
    }
    if (!changed) break;
  }
  return labels;
}

}  // namespace p2mpp
