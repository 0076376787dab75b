#include "texture/view_blending.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace p2mpp {
namespace {

using ViewWeights = std::vector<std::pair<std::uint32_t, float>>;  // of views; sorted by their numbers

void add_weight(ViewWeights& weights, std::uint32_t view, float weight) {
  const auto place = std::ranges::lower_bound(weights, view, {}, &std::pair<std::uint32_t, float>::first);
  if (place != weights.end() && place->first == view) {
    place->second += weight;
  } else {
    weights.insert(place, {view, weight});
  }
}

/// Keeps the largest, with a sum of 1.
void normalise(ViewWeights& weights) {
  constexpr std::size_t kMost = 6;
  constexpr float kLeast = 0.02F;
  float sum = 0;
  for (const auto& [view, weight] : weights) sum += weight;
  std::erase_if(weights, [&](const auto& each) { return each.second < kLeast * sum; });
  if (weights.size() > kMost) {
    std::ranges::stable_sort(weights, [](const auto& a, const auto& b) { return a.second > b.second; });
    weights.resize(kMost);
    std::ranges::sort(weights);
  }
  sum = 0;
  for (const auto& [view, weight] : weights) sum += weight;
  for (auto& [view, weight] : weights) weight /= sum;
}

/// How much photographs differ about a triangle, roughly as the eye sees it: the largest standard deviation of a
/// channel.
float disagreement(std::span<const FaceView> views, const std::vector<ColourBalance>& balances) {
  Eigen::Array3f sum = Eigen::Array3f::Zero(), squares = Eigen::Array3f::Zero();
  float count = 0;
  for (const FaceView& view : views) {
    if (!(view.quality > 0)) continue;
    const Eigen::Array3f colour = balances[view.view].applied(view.mean()).array().max(0).sqrt();
    sum += colour;
    squares += colour * colour;
    ++count;
  }
  if (count == 0) return 0;
  const Eigen::Array3f mean = sum / count;
  return std::sqrt((squares / count - mean * mean).max(0).maxCoeff());
}

/// The exponent of the quality. Where photographs agree, the best are taken, which are the sharpest. Where they differ,
/// because the surface is not exact or shines, none of them is right everywhere: their mean is taken.
float preference_at(float disagreement) {
  constexpr float kMostPreferred = 5, kLeastPreferred = 1, kUsualDisagreement = 0.05F;
  const float ratio = disagreement / kUsualDisagreement;
  return kLeastPreferred + (kMostPreferred - kLeastPreferred) / (1 + ratio * ratio);
}

/// The better of the photographs that show the triangles around a vertex. The second best differs little from the best
/// where the surface is exact; together they have less noise.
std::vector<ViewWeights> first_weights(const PaintedSurface& surface, const FaceViews& views,
                                       const std::vector<ColourBalance>& balances) {
  std::vector<float> preferences(views.size());
  for (std::size_t face = 0; face < views.size(); ++face) {
    preferences[face] = preference_at(disagreement(views.of(face), balances));
  }
  std::vector<ViewWeights> weights(surface.vertices.size());
  for (std::size_t vertex = 0; vertex < weights.size(); ++vertex) {
    for (const std::uint32_t face : surface.faces_of.of(vertex)) {
      float best = 0;
      for (const FaceView& view : views.of(face)) best = std::max(best, view.quality);
      const float area = std::max(surface.areas[face], 1e-30F);
      for (const FaceView& view : views.of(face)) {
        if (!(view.quality > 0)) continue;
        add_weight(weights[vertex], view.view, area * std::pow(view.quality / best, preferences[face]));
      }
    }
    normalise(weights[vertex]);
  }
  return weights;
}

std::vector<ViewWeights> spread(const PaintedSurface& surface, const std::vector<ViewWeights>& weights) {
  constexpr float kOwn = 2;  // times the share of a neighbour
  std::vector<ViewWeights> result(weights.size());
  for (std::size_t vertex = 0; vertex < weights.size(); ++vertex) {
    if (weights[vertex].empty()) continue;
    float neighbours = 0;
    for (const std::uint32_t face : surface.faces_of.of(vertex)) {
      for (const std::int32_t other : surface.triangles[face]) {
        const ViewWeights& theirs = weights[static_cast<std::size_t>(other)];
        if (other == static_cast<std::int32_t>(vertex) || theirs.empty()) continue;
        for (const auto& [view, weight] : theirs) add_weight(result[vertex], view, weight);
        ++neighbours;
      }
    }
    for (const auto& [view, weight] : weights[vertex]) {
      add_weight(result[vertex], view, weight * std::max(neighbours, 1.0F) / kOwn);
    }
    normalise(result[vertex]);
  }
  return result;
}

/// Quadratic terms between unknown corrections, and the gradient at zero.
struct LevellingSystem {
  struct Term {
    std::uint32_t a, b;
    float weight;
  };
  std::vector<Term> terms;            // weight (x_a - x_b)^2
  std::vector<Eigen::Array3f> right;  // of the unknowns
  std::vector<float> diagonal;

  explicit LevellingSystem(std::size_t unknowns)
      : right(unknowns, Eigen::Array3f::Zero()), diagonal(unknowns, kSmall) {}

  /// Adds weight * (x_a - x_b + difference)^2.
  void add(std::size_t a, std::size_t b, float weight, const Eigen::Array3f& difference) {
    terms.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), weight});
    right[a] -= weight * difference;
    right[b] += weight * difference;
    diagonal[a] += weight;
    diagonal[b] += weight;
  }

  /// Adds weight * (x_a + difference)^2.
  void pull(std::size_t a, float weight, const Eigen::Array3f& difference) {
    right[a] -= weight * difference;
    diagonal[a] += weight;
  }

  void apply(const std::vector<Eigen::Array3f>& in, std::vector<Eigen::Array3f>& out) const {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = diagonal[i] * in[i];
    for (const Term& term : terms) {
      out[term.a] -= term.weight * in[term.b];
      out[term.b] -= term.weight * in[term.a];
    }
  }

  static constexpr float kSmall = 5e-3F;  ///< towards no correction
};

Eigen::Array3d dot(const std::vector<Eigen::Array3f>& a, const std::vector<Eigen::Array3f>& b) {
  Eigen::Array3d sum = Eigen::Array3d::Zero();
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] * b[i]).cast<double>();
  return sum;
}

Eigen::Array3f quotient(const Eigen::Array3d& a, const Eigen::Array3d& b) {
  return (b > 0).select(a / b.max(1e-300), Eigen::Array3d::Zero()).cast<float>();
}

/// Conjugate gradients with the diagonal as preconditioner, for three right-hand sides.
std::vector<Eigen::Array3f> solve(const LevellingSystem& system) {
  constexpr int kMostIterations = 200;
  constexpr double kResidual = 1e-8;  // squared, relative
  const std::size_t count = system.right.size();
  std::vector<Eigen::Array3f> x(count, Eigen::Array3f::Zero()), residual = system.right, z(count), direction,
                                                                product(count);
  const auto precondition = [&] {
    for (std::size_t i = 0; i < count; ++i) z[i] = residual[i] / system.diagonal[i];
  };
  precondition();
  direction = z;
  Eigen::Array3d rho = dot(residual, z);
  const Eigen::Array3d first = rho;
  for (int i = 0; i < kMostIterations && (rho > kResidual * first).any(); ++i) {
    system.apply(direction, product);
    const Eigen::Array3f step = quotient(rho, dot(direction, product));
    for (std::size_t k = 0; k < count; ++k) {
      x[k] += step * direction[k];
      residual[k] -= step * product[k];
    }
    precondition();
    const Eigen::Array3d next = dot(residual, z);
    const Eigen::Array3f ratio = quotient(next, rho);
    rho = next;
    for (std::size_t k = 0; k < count; ++k) direction[k] = z[k] + ratio * direction[k];
  }
  return x;
}

/// The mean difference of two views around a vertex, over the triangles that both show.
struct MeanDifference {
  Eigen::Array3f difference = Eigen::Array3f::Zero();
  float area = 0;
};
MeanDifference difference_at(const PaintedSurface& surface, const FaceViews& views,
                             const std::vector<ColourBalance>& balances, std::size_t vertex, std::size_t a,
                             std::size_t b) {
  MeanDifference mean;
  for (const std::uint32_t face : surface.faces_of.of(vertex)) {
    const FaceView *left = views.find(face, a), *right = views.find(face, b);
    if (left == nullptr || right == nullptr) continue;
    mean.difference +=
        surface.areas[face] * (balances[a].applied(left->mean()) - balances[b].applied(right->mean())).array();
    mean.area += surface.areas[face];
  }
  if (mean.area > 0) mean.difference /= mean.area;
  return mean;
}

/// The mean of all photographs of each triangle, the better ones more; balanced.
std::vector<Eigen::Array3f> mean_colours(const FaceViews& views, const std::vector<ColourBalance>& balances) {
  std::vector<Eigen::Array3f> means(views.size(), Eigen::Array3f::Zero());
  for (std::size_t face = 0; face < views.size(); ++face) {
    float sum = 0;
    for (const FaceView& view : views.of(face)) {
      means[face] += view.quality * balances[view.view].applied(view.mean()).array();
      sum += view.quality;
    }
    if (sum > 0) means[face] /= sum;
  }
  return means;
}

/// The mean difference of a view from all of them, over the triangles around a vertex that it shows.
MeanDifference difference_from_mean(const PaintedSurface& surface, const FaceViews& views,
                                    const std::vector<ColourBalance>& balances,
                                    const std::vector<Eigen::Array3f>& means, std::size_t vertex, std::size_t view) {
  MeanDifference mean;
  for (const std::uint32_t face : surface.faces_of.of(vertex)) {
    const FaceView* seen = views.find(face, view);
    if (seen == nullptr) continue;
    mean.difference += surface.areas[face] * (balances[view].applied(seen->mean()).array() - means[face]);
    mean.area += surface.areas[face];
  }
  if (mean.area > 0) mean.difference /= mean.area;
  return mean;
}

/// Less for a difference that is larger than light and exposure make it: one of the views shows something else.
float trust_in(const Eigen::Array3f& difference) {
  constexpr float kUsualDifference = 0.06F;
  const float size = difference.abs().maxCoeff();
  return size <= kUsualDifference ? 1 : (kUsualDifference / size) * (kUsualDifference / size);
}

}  // namespace

VertexViews blend_views(const PaintedSurface& surface, const FaceViews& views,
                        const std::vector<ColourBalance>& balances, int rounds) {
  std::vector<ViewWeights> weights = first_weights(surface, views, balances);
  for (int i = 1; i < rounds; ++i) weights = spread(surface, weights);
  VertexViews blend;
  blend.begin.push_back(0);
  for (const ViewWeights& each : weights) {
    for (const auto& [view, weight] : each) blend.items.push_back({view, weight});
    blend.begin.push_back(static_cast<std::uint32_t>(blend.items.size()));
  }
  return blend;
}

void level_seams(const PaintedSurface& surface, const FaceViews& views, const std::vector<ColourBalance>& balances,
                 float edges, VertexViews& blend) {
  constexpr float kStiffness = 1;
  const std::vector<Eigen::Array3f> means = mean_colours(views, balances);
  const float towards_mean = 1 / (edges * edges);
  LevellingSystem system(blend.items.size());
  for (std::size_t vertex = 0; vertex < surface.vertices.size(); ++vertex) {
    for (std::size_t i = blend.begin[vertex]; i < blend.begin[vertex + 1]; ++i) {
      const MeanDifference from_mean =
          difference_from_mean(surface, views, balances, means, vertex, blend.items[i].view);
      if (from_mean.area > 0) system.pull(i, towards_mean * trust_in(from_mean.difference), from_mean.difference);
      for (std::size_t j = i + 1; j < blend.begin[vertex + 1]; ++j) {
        const VertexView &a = blend.items[i], &b = blend.items[j];
        const MeanDifference mean = difference_at(surface, views, balances, vertex, a.view, b.view);
        if (mean.area > 0) system.add(i, j, trust_in(mean.difference), mean.difference);
      }
    }
  }
  // Each edge is met from both of its triangles; an edge of one triangle counts half.
  for (const Triangle& triangle : surface.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto from = static_cast<std::size_t>(triangle[k]), to = static_cast<std::size_t>(triangle[(k + 1) % 3]);
      if (from == to) continue;
      for (std::size_t i = blend.begin[from]; i < blend.begin[from + 1]; ++i) {
        const VertexView* other = blend.find(to, blend.items[i].view);
        if (other == nullptr) continue;
        system.add(i, static_cast<std::size_t>(other - blend.items.data()), kStiffness / 2, Eigen::Array3f::Zero());
      }
    }
  }
  const std::vector<Eigen::Array3f> corrections = solve(system);
  for (std::size_t i = 0; i < corrections.size(); ++i) blend.items[i].correction = corrections[i];
}

}  // namespace p2mpp
