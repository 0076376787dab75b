#include "capture/frame/object_frame.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "p2mpp/error.h"

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

namespace {

/// The position of a side between the inner box (0) and the hull's box (1). A flat side, whose section at the inner box
/// is as large as the object, stays at the inner box. A pointed or round side goes further. The hull's cone beneath an
/// object that was seen from above is long. A cubic blend keeps a half-flat side from moving far into the cone. Chosen
/// on drawn balls, boxes, tori, chairs and aeroplanes (object_frame_test.cc) and on renderings of nine kinds of
/// objects.
constexpr double kRoundBlend = 0.9;
constexpr std::size_t kFewestPoints = 100;  ///< of structure from motion, inside the hull, that say where the object is
constexpr double kPointShare = 0.01;        ///< of the points that may be outside, on each side

/// Rows: axes of a frame whose y is up, and whose x is as near to the source's x as can be.
Eigen::Matrix3d upright_axes(const Eigen::Vector3d& up) {
  const Eigen::Vector3d hint = std::fabs(up.x()) < 0.9 ? Eigen::Vector3d::UnitX() : Eigen::Vector3d::UnitZ();
  const Eigen::Vector3d x = (hint - up * up.dot(hint)).normalized();
  Eigen::Matrix3d axes;
  axes << x.transpose(), up.transpose(), x.cross(up).transpose();
  return axes;
}

/// Horizontal parts of the hull's normals, in a frame whose y is up, between the inner bounds of its height. The cones
/// above and below have no information. At a point of the hull's surface, the tightest silhouette's boundary and that
/// camera's centre span the tangent plane.
std::vector<Eigen::Vector2d> footprint_normals(const Hull& hull, std::span<const MaskView> silhouettes,
                                               const BoxBounds& bounds, const Eigen::Matrix3d& axes) {
  constexpr std::size_t kPoints = 8000;
  std::vector<Eigen::Vector2d> normals;
  const std::size_t step = std::max<std::size_t>(1, hull.surface.size() / kPoints);
  for (std::size_t i = 0; i < hull.surface.size(); i += step) {
    const Eigen::Vector3d point = hull.surface[i].cast<double>();
    const double height = axes.row(1).dot(point);
    if (height < bounds.lower_inner.y() || height > bounds.upper_inner.y()) continue;
    const Eigen::Vector3d normal = axes * surface_normal(silhouettes, point);
    normals.emplace_back(normal.x(), normal.z());
  }
  return normals;
}

std::vector<Eigen::Vector2d> footprint(const Hull& hull, const BoxBounds& bounds, const Eigen::Matrix3d& axes) {
  std::vector<Eigen::Vector2d> points;
  for (const Eigen::Vector3f& point : hull.surface) {
    const Eigen::Vector3d seen = axes * point.cast<double>();
    if (seen.y() >= bounds.lower_inner.y() && seen.y() <= bounds.upper_inner.y())
      points.emplace_back(seen.x(), seen.z());
  }
  return points;
}

/// The share of the object's extent across an axis that the hull has at a coordinate along it.
double section_share(const Hull& hull, const Eigen::Matrix3d& axes, int axis, double coordinate) {
  std::vector<Eigen::Vector2d> all, section;
  for (const Eigen::Vector3f& point : hull.surface) {
    const Eigen::Vector3d seen = axes * point.cast<double>();
    all.emplace_back(seen[(axis + 1) % 3], seen[(axis + 2) % 3]);
    if (std::fabs(seen[axis] - coordinate) < 1.5 * hull.cell) section.push_back(all.back());
  }
  const double whole = polygon_area(convex_hull(std::move(all)));
  return whole > 0 ? std::min(1.0, polygon_area(convex_hull(std::move(section))) / whole) : 1;
}

double box_side(const Hull& hull, const Eigen::Matrix3d& axes, int axis, double inner, double outer) {
  return inner + kRoundBlend * std::pow(1 - section_share(hull, axes, axis, inner), 3) * (outer - inner);
}

Eigen::Matrix3d turned(const Eigen::Matrix3d& axes, double angle) {
  Eigen::Matrix3d rotation;  // about y: the new x is cos x + sin z
  rotation << std::cos(angle), 0, std::sin(angle), 0, 1, 0, -std::sin(angle), 0, std::cos(angle);
  return rotation * axes;
}

bool in_all(std::span<const MaskView> silhouettes, const Eigen::Vector3d& point) {
  return std::all_of(silhouettes.begin(), silhouettes.end(), [&](const MaskView& silhouette) {
    const Eigen::Vector3d seen = silhouette.camera().cam_from_world(point);
    return seen.z() > 0 && silhouette.distance_at(seen) > -1;
  });
}

/// Moves the inner bounds out to the points inside the hull. How many there are; 0 if they are too few.
std::size_t widen_to_points(BoxBounds& bounds, std::span<const MaskView> silhouettes, const Eigen::Matrix3d& axes,
                            std::span<const Eigen::Vector3d> points) {
  std::vector<Eigen::Vector3d> inside;
  for (const Eigen::Vector3d& point : points) {
    if (point.allFinite() && in_all(silhouettes, point)) inside.emplace_back(axes * point);
  }
  if (inside.size() < kFewestPoints) return 0;
  const auto rank = static_cast<std::ptrdiff_t>(kPointShare * static_cast<double>(inside.size()));
  for (int axis = 0; axis < 3; ++axis) {
    std::sort(inside.begin(), inside.end(), [axis](const auto& a, const auto& b) { return a[axis] < b[axis]; });
    bounds.lower_inner[axis] =
        std::max(bounds.lower_outer[axis], std::min(bounds.lower_inner[axis], (*(inside.begin() + rank))[axis]));
    bounds.upper_inner[axis] =
        std::min(bounds.upper_outer[axis], std::max(bounds.upper_inner[axis], (*(inside.end() - 1 - rank))[axis]));
  }
  return inside.size();
}

void check_frame_options(const FrameOptions& options) {
  if (options.up && (!options.up->allFinite() || options.up->norm() < 1e-9)) {
    throw InputError("up is zero or not finite; expected a direction");
  }
  if (options.centre && !options.centre->allFinite()) {
    throw InputError("the centre is not finite; expected three numbers");
  }
  if (options.scale && !(std::isfinite(*options.scale) && *options.scale > 0)) {
    throw InputError(fmt::format("scale is {:g}; expected a positive number", *options.scale));
  }
}

}  // namespace

ObjectFrame object_frame(const Hull& hull, std::span<const MaskView> silhouettes, const UpDirection& up,
                         std::span<const Eigen::Vector3d> points, const FrameOptions& options) {
  check_frame_options(options);
  ObjectFrame frame;
  frame.up = options.up ? UpDirection{options.up->normalized(), "given"} : up;
  const Eigen::Matrix3d level = upright_axes(frame.up.direction);
  const BoxBounds upright = box_bounds(hull, silhouettes, level);
  constexpr double kNear = 0.1;  // radians: the hull's facets are not quite the object's
  double yaw = smallest_footprint_angle(footprint_normals(hull, silhouettes, upright, level));
  if (yaw != 0) yaw = smallest_box_angle_near(footprint(hull, upright, level), yaw, kNear);
  const Eigen::Matrix3d axes = turned(level, yaw);
  BoxBounds bounds = box_bounds(hull, silhouettes, axes);
  frame.points = widen_to_points(bounds, silhouettes, axes, points);

  Eigen::Vector3d lower, upper;
  for (int axis = 0; axis < 3; ++axis) {
    lower[axis] = box_side(hull, axes, axis, bounds.lower_inner[axis], bounds.lower_outer[axis]);
    upper[axis] = box_side(hull, axes, axis, bounds.upper_inner[axis], bounds.upper_outer[axis]);
  }
  frame.size = upper - lower;
  frame.least = (bounds.upper_inner - bounds.lower_inner).norm() / frame.size.norm();
  frame.most = (bounds.upper_outer - bounds.lower_outer).norm() / frame.size.norm();
  frame.source_from_world.rotation = axes.transpose();
  frame.source_from_world.scale = options.scale.value_or(frame.size.norm() / kWorldDiagonal);
  frame.source_from_world.translation = options.centre.value_or(axes.transpose() * ((lower + upper) / 2));
  return frame;
}

}  // namespace p2mpp
