#include "p2mpp/metrics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <future>
#include <memory>
#include <numeric>

#include "base/numbers/random.h"
#include "base/numbers/statistics.h"
#include "geometry/metric_bounds.h"
#include "geometry/neighbour_search.h"

namespace p2mpp {
namespace {

double distance_90(const std::vector<double>& squared_distances) {
  std::vector<WeightedValue> distances;
  distances.reserve(squared_distances.size());
  for (const double squared : squared_distances) distances.push_back({.value = std::sqrt(squared)});
  return distance_of_90_percent(std::move(distances));
}

double percent_within(const std::vector<double>& squared_distances, double threshold) {
  const auto found = std::count_if(squared_distances.begin(), squared_distances.end(),
                                   [&](double distance) { return distance <= threshold; });
  return 100.0 * static_cast<double>(found) / static_cast<double>(squared_distances.size());
}

// Results of one direction of a comparison.
struct OneWay {
  double mean_squared_distance = 0;
  double percent_tau = 0, percent_2tau = 0;
  double distance_90 = 0;
  double mean_cosine = 0;  // NaN if normals are unknown
};

double mean_cosine(const PointCloud& queries, const PointCloud& targets, const Neighbours& nearest) {
  if (queries.normals.empty() || targets.normals.empty()) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (std::size_t i = 0; i < queries.points.size(); ++i) {
    const Eigen::Vector3d normal = targets.normals[nearest.indices[i]].cast<double>();
    sum += std::abs(queries.normals[i].cast<double>().dot(normal));
  }
  return sum / static_cast<double>(queries.points.size());
}

// A nearest-neighbour search in one set of targets.
using LookUp = std::function<Neighbours(PointSpan queries)>;

OneWay look_up(const PointCloud& queries, const PointCloud& targets, const LookUp& search) {
  const Neighbours nearest = search(queries.points);
  const std::vector<double>& squared = nearest.squared_distances;
  return {.mean_squared_distance = mean(squared),
          .percent_tau = percent_within(squared, kTau),
          .percent_2tau = percent_within(squared, 2 * kTau),
          .distance_90 = distance_90(squared),
          .mean_cosine = mean_cosine(queries, targets, nearest)};
}

// A random subset of `count` points, in their order, uniform over all subsets.
PointCloud draw_points(const PointCloud& cloud, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  PointCloud drawn;
  for (std::size_t i = 0; i < cloud.points.size() && drawn.points.size() < count; ++i) {
    const auto left = static_cast<double>(cloud.points.size() - i);
    if (draw_unit(generator) * left >= static_cast<double>(count - drawn.points.size())) continue;
    drawn.points.push_back(cloud.points[i]);
    if (!cloud.normals.empty()) drawn.normals.push_back(cloud.normals[i]);
  }
  return drawn;
}

OneWay look_up_some(const PointCloud& queries, const PointCloud& targets, const LookUp& search,
                    const ComparisonOptions& options) {
  if (options.sampled == 0 || options.sampled >= queries.points.size()) return look_up(queries, targets, search);
  return look_up(draw_points(queries, options.sampled, options.seed), targets, search);
}

// The search for some targets: the given finder, or a tree of the targets.
LookUp search_among(PointSpan targets, const ComparisonOptions& options) {
  if (options.find_neighbours) {
    return [targets, &options](PointSpan queries) { return options.find_neighbours(queries, targets); };
  }
  return [tree = std::make_shared<const NeighbourSearch>(targets), &options](PointSpan queries) {
    return tree->nearest(queries, options.threads);
  };
}

}  // namespace

Neighbours nearest_neighbours(PointSpan queries, PointSpan targets, int threads) {
  return NeighbourSearch(targets).nearest(queries, threads);
}

ShapeMetrics compare_shapes(const PointCloud& predicted, const PointCloud& truth, const ComparisonOptions& options) {
  check_points("predicted", predicted.points);
  check_points("true", truth.points);
  const auto policy = options.threads > 1 ? std::launch::async : std::launch::deferred;
  auto among_truth = std::async(policy, [&] { return search_among(truth.points, options); });
  const LookUp among_predicted = search_among(predicted.points, options);
  const OneWay forth = look_up_some(predicted, truth, among_truth.get(), options);
  const OneWay back = look_up_some(truth, predicted, among_predicted, options);
  return {.chamfer_distance = forth.mean_squared_distance + back.mean_squared_distance,
          .f1_tau = f1_score(forth.percent_tau, back.percent_tau),
          .f1_2tau = f1_score(forth.percent_2tau, back.percent_2tau),
          .precision_tau = forth.percent_tau,
          .recall_tau = back.percent_tau,
          .precision_2tau = forth.percent_2tau,
          .recall_2tau = back.percent_2tau,
          .hausdorff_90 = std::max(forth.distance_90, back.distance_90),
          .normal_consistency = (forth.mean_cosine + back.mean_cosine) / 2};
}

}  // namespace p2mpp
