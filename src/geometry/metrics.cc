#include "p2mpp/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <nanoflann.hpp>
#include <numeric>
#include <string_view>

#include "p2mpp/error.h"

namespace p2mpp {
namespace {

using PointSpan = std::span<const Eigen::Vector3f>;

/// Each place once. Several releases of nanoflann (1.5.4 to 1.6.0) read out of bounds where many points coincide.
Points distinct(PointSpan points) {
  Points result(points.begin(), points.end());
  const auto coordinates = [](const Eigen::Vector3f& p) { return std::array{p.x(), p.y(), p.z()}; };
  std::ranges::sort(result, std::less{}, coordinates);
  const auto repeated = std::ranges::unique(result);
  result.erase(repeated.begin(), repeated.end());
  return result;
}

/// What nanoflann reads points through. Doubles throughout: no square of a finite float overflows
/// them.
struct PointCloud {
  PointSpan points;

  [[nodiscard]] std::size_t kdtree_get_point_count() const { return points.size(); }
  [[nodiscard]] double kdtree_get_pt(std::size_t index, std::size_t axis) const {
    return double{points[index][static_cast<Eigen::Index>(axis)]};
  }
  template <typename BoundingBox>
  bool kdtree_get_bbox(BoundingBox&) const {
    return false;
  }
};

using KdTree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, PointCloud>, PointCloud, 3>;

void check_points(std::string_view name, PointSpan points) {
  if (points.empty()) throw InputError(fmt::format("0 {} points; expected at least 1", name));
  const auto bad = std::find_if(points.begin(), points.end(), [](const Eigen::Vector3f& p) { return !p.allFinite(); });
  if (bad != points.end()) {
    throw InputError(fmt::format("{} point {}, counted from 1, is ({}, {}, {}); expected finite coordinates", name,
                                 bad - points.begin() + 1, bad->x(), bad->y(), bad->z()));
  }
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double percent_within(const std::vector<double>& squared_distances, double threshold) {
  const auto found = std::count_if(squared_distances.begin(), squared_distances.end(),
                                   [&](double distance) { return distance <= threshold; });
  return 100.0 * static_cast<double>(found) / static_cast<double>(squared_distances.size());
}

double f1_score(double precision, double recall) {
  return precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
}

}  // namespace

std::vector<double> nearest_squared_distances(PointSpan queries, PointSpan targets) {
  const Points places = distinct(targets);
  const PointCloud cloud{places};
  const KdTree tree(3, cloud);
  std::vector<double> distances;
  distances.reserve(queries.size());
  for (const Eigen::Vector3f& query : queries) {
    const std::array<double, 3> point{query.x(), query.y(), query.z()};
    std::uint32_t index = 0;
    double distance = 0;
    (void)tree.knnSearch(point.data(), 1, &index, &distance);
    distances.push_back(distance);
  }
  return distances;
}

ShapeMetrics compare_shapes(PointSpan predicted, PointSpan truth) {
  check_points("predicted", predicted);
  check_points("true", truth);
  const std::vector<double> to_truth = nearest_squared_distances(predicted, truth);
  const std::vector<double> to_predicted = nearest_squared_distances(truth, predicted);

  ShapeMetrics metrics;
  metrics.chamfer_distance = mean(to_truth) + mean(to_predicted);
  metrics.precision_tau = percent_within(to_truth, kTau);
  metrics.recall_tau = percent_within(to_predicted, kTau);
  metrics.precision_2tau = percent_within(to_truth, 2 * kTau);
  metrics.recall_2tau = percent_within(to_predicted, 2 * kTau);
  metrics.f1_tau = f1_score(metrics.precision_tau, metrics.recall_tau);
  metrics.f1_2tau = f1_score(metrics.precision_2tau, metrics.recall_2tau);
  return metrics;
}

}  // namespace p2mpp
