#include "capture/frame/footprint.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace p2mpp {
namespace {

double turn(const Eigen::Vector2d& a, const Eigen::Vector2d& b, const Eigen::Vector2d& c) {
  return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

}  // namespace

std::vector<Eigen::Vector2d> convex_hull(std::vector<Eigen::Vector2d> points) {
  if (points.size() < 3) return points;
  std::sort(points.begin(), points.end(), [](const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
    return a.x() < b.x() || (a.x() == b.x() && a.y() < b.y());
  });
  std::vector<Eigen::Vector2d> hull;
  for (int side = 0; side < 2; ++side) {
    const std::size_t start = hull.size();
    for (const Eigen::Vector2d& point : points) {
      while (hull.size() >= start + 2 && turn(hull[hull.size() - 2], hull.back(), point) <= 0) hull.pop_back();
      hull.push_back(point);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

double polygon_area(const std::vector<Eigen::Vector2d>& polygon) {
  double twice = 0;
  for (std::size_t i = 2; i < polygon.size(); ++i) twice += turn(polygon[0], polygon[i - 1], polygon[i]);
  return std::fabs(twice) / 2;
}

double smallest_footprint_angle(const std::vector<Eigen::Vector2d>& normals) {
  constexpr int kBins = 720, kRefined = 8;  // of a right angle; an eighth of a degree
  constexpr double kRight = std::numbers::pi / 2, kStep = kRight / kBins, kAlike = 1.01;
  // |x| + |y| of a normal repeats every right angle.
  std::vector<double> weights(kBins);
  for (const Eigen::Vector2d& normal : normals) {
    const double angle = std::atan2(normal.y(), normal.x());
    const double part = (angle / kRight - std::floor(angle / kRight)) * kBins;
    weights[static_cast<std::size_t>(part) % kBins] += normal.norm();
  }
  const auto sum_at = [&](double angle) {
    double sum = 0;
    for (int i = 0; i < kBins; ++i) {
      const double seen = (i + 0.5) * kStep - angle;
      sum += weights[static_cast<std::size_t>(i)] * (std::fabs(std::cos(seen)) + std::fabs(std::sin(seen)));
    }
    return sum;
  };
  std::vector<double> sums;
  const auto angle_of = [&](int i) { return (i - kBins / 2 + 1) * kStep; };
  for (int i = 0; i < kBins; ++i) sums.push_back(sum_at(angle_of(i)));
  const double least = *std::min_element(sums.begin(), sums.end());
  const double most = *std::max_element(sums.begin(), sums.end());
  if (most <= kAlike * least) return 0;
  double best = std::numeric_limits<double>::infinity(), best_sum = best;
  for (int i = 0; i < kBins; ++i) {
    const double sum = sums[static_cast<std::size_t>(i)];
    if (sum < best_sum - 1e-9 * least || (sum <= best_sum && std::fabs(angle_of(i)) < std::fabs(best))) {
      best = angle_of(i);
      best_sum = sum;
    }
  }
  const double start = best - kStep;
  for (int i = 0; i <= 2 * kRefined; ++i) {
    const double angle = start + i * kStep / kRefined;
    if (const double sum = sum_at(angle); sum < best_sum) {
      best = angle;
      best_sum = sum;
    }
  }
  return best;
}

double smallest_box_angle_near(const std::vector<Eigen::Vector2d>& points, double start, double reach) {
  constexpr int kSteps = 60;
  const std::vector<Eigen::Vector2d> hull = convex_hull(points);
  double best = start, least = std::numeric_limits<double>::infinity();
  for (int i = -kSteps; i <= kSteps; ++i) {
    const double angle = start + reach * i / kSteps;
    const Eigen::Vector2d x(std::cos(angle), std::sin(angle)), y(-std::sin(angle), std::cos(angle));
    Eigen::Vector2d lower = Eigen::Vector2d::Constant(std::numeric_limits<double>::infinity()), upper = -lower;
    for (const Eigen::Vector2d& point : hull) {
      const Eigen::Vector2d seen(x.dot(point), y.dot(point));
      lower = lower.cwiseMin(seen);
      upper = upper.cwiseMax(seen);
    }
    if ((upper - lower).sum() < least) {
      least = (upper - lower).sum();
      best = angle;
    }
  }
  return std::fabs(best - start) < reach * (kSteps - 0.5) / kSteps ? best : start;
}

}  // namespace p2mpp
