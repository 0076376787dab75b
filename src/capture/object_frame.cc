#include "capture/object_frame.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

#include "capture/footprint.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

struct Horizon {
  Eigen::Vector3d normal = Eigen::Vector3d::UnitY();
  double residual = 1;  ///< root of the weighted mean square of the axes' sines to the horizon
  double spread = 0;    ///< how well the axes span a plane: second eigenvalue relative to the third
};

/// The direction to which axes are perpendicular, by least squares; axes that are far from it count less.
Horizon fit_horizon(const std::vector<Eigen::Vector3d>& axes) {
  Horizon horizon;
  std::vector<double> weights(axes.size(), 1.0);
  for (int round = 0; round < 10; ++round) {
    Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
    double total = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      sum += weights[i] * axes[i] * axes[i].transpose();
      total += weights[i];
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(sum / total);
    horizon.normal = solver.eigenvectors().col(0);
    horizon.residual = std::sqrt(std::max(0.0, solver.eigenvalues()(0)));
    horizon.spread = solver.eigenvalues()(1) / std::max(solver.eigenvalues()(2), 1e-12);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      weights[i] = 1 / (0.02 + std::fabs(axes[i].dot(horizon.normal)));
    }
  }
  return horizon;
}

struct Ring {
  Eigen::Vector3d normal = Eigen::Vector3d::UnitY();
  bool found = false;
};

/// The plane of the centres, if they lie in one and around its middle.
Ring fit_ring(std::span<const Photograph> photographs) {
  constexpr double kFlat = 0.06, kRound = 0.4;  // of standard deviations
  constexpr std::size_t kFewestPhotographs = 6;
  if (photographs.size() < kFewestPhotographs) return {};
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (const Photograph& photograph : photographs) mean += photograph.centre();
  mean /= static_cast<double>(photographs.size());
  Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
  for (const Photograph& photograph : photographs) {
    const Eigen::Vector3d offset = photograph.centre() - mean;
    sum += offset * offset.transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(sum);
  const Eigen::Vector3d deviation = solver.eigenvalues().cwiseMax(0).cwiseSqrt();
  return {solver.eigenvectors().col(0), deviation(0) < kFlat * deviation(1) && deviation(1) > kRound * deviation(2)};
}

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
std::vector<Eigen::Vector2d> footprint_normals(const Hull& hull, std::span<const Silhouette> silhouettes,
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

bool in_all(std::span<const Silhouette> silhouettes, const Eigen::Vector3d& point) {
  return std::all_of(silhouettes.begin(), silhouettes.end(), [&](const Silhouette& silhouette) {
    const Eigen::Vector3d seen = silhouette.cam_from_source(point);
    return seen.z() > 0 && silhouette.distance_at(seen) > -1;
  });
}

/// Moves the inner bounds out to the points inside the hull. How many there are; 0 if they are too few.
std::size_t widen_to_points(BoxBounds& bounds, std::span<const Silhouette> silhouettes, const Eigen::Matrix3d& axes,
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

UpDirection up_from_cameras(std::span<const Photograph> photographs) {
  constexpr double kLeastSpread = 0.02, kStrong = 0.3, kNear = 0.9;
  std::vector<Eigen::Vector3d> rights, downs;
  Eigen::Vector3d up = Eigen::Vector3d::Zero(), ahead = Eigen::Vector3d::Zero();
  for (const Photograph& photograph : photographs) {
    rights.emplace_back(photograph.cam_from_source.rotation.row(0));
    downs.emplace_back(photograph.cam_from_source.rotation.row(1));
    up -= downs.back();
    ahead += photograph.cam_from_source.rotation.row(2).transpose();
  }
  const double count = static_cast<double>(std::max<std::size_t>(1, photographs.size()));
  const bool strong = up.norm() > kStrong * count;
  const Horizon upright = fit_horizon(rights), turned = fit_horizon(downs);
  const Ring ring = fit_ring(photographs);

  UpDirection result{up.normalized(), "the cameras' mean"};
  if (!strong && up.norm() < 1e-9) result.direction = -photographs.front().cam_from_source.rotation.row(1);
  if (strong && upright.spread > kLeastSpread && std::fabs(upright.normal.dot(result.direction)) > kNear) {
    result = {upright.normal, "the cameras' horizons"};
  } else if (!strong && !ring.found && turned.spread > kLeastSpread && turned.residual < 0.3) {
    result = {turned.normal, "the cameras' horizons, turned by 90 degrees"};
  }
  if (ring.found && (!strong || std::fabs(ring.normal.dot(up.normalized())) > kNear)) {
    result = {ring.normal, "the ring of cameras"};
  }
  const double sign = strong ? result.direction.dot(up) : -result.direction.dot(ahead);
  if (sign < 0) result.direction = -result.direction;
  return result;
}

ObjectFrame object_frame(const Hull& hull, std::span<const Silhouette> silhouettes, const UpDirection& up,
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
