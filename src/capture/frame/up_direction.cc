#include "capture/frame/up_direction.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "base/numbers/median.h"
#include "base/numbers/random.h"
#include "geometry/cameras/meeting_point.h"

namespace p2mpp {
namespace {

constexpr double kSameDirection = 0.906;  ///< cosine of 25 degrees, between the normal and the expected direction
constexpr double kRadius = 1.0;           ///< of the ball whose points count, in distances of the cameras
constexpr double kThickness = 0.006;      ///< from the plane to its points, at most, in distances of the cameras
constexpr double kLeastWidth = 0.05;      ///< standard deviation across the plane's points, in the same unit
constexpr std::size_t kFewestGroundPoints = 12;  ///< on the plane
constexpr double kLeastShare = 0.1;              ///< of the points nearby that are on the plane
constexpr double kMostBelow = 0.05;              ///< of the points nearby that are below it

struct Plane {
  Eigen::Vector3d normal = Eigen::Vector3d::UnitY();  ///< of unit length
  double offset = 0;                                  ///< height of the plane along the normal

  [[nodiscard]] double height(const Eigen::Vector3d& point) const { return normal.dot(point) - offset; }
};

/// The surroundings of the object.
struct UpEvidence {
  std::vector<Eigen::Vector3d> centres;  ///< of the cameras
  std::vector<Eigen::Vector3d> points;   ///< near the object
  double distance = 0;                   ///< of the cameras from the object, the median
};

/// None if the cameras do not look at one place.
std::optional<UpEvidence> split_scene(const Capture& capture) {
  UpEvidence scene;
  std::vector<SightLine> lines;
  for (const Photograph& photograph : capture.photographs) {
    scene.centres.push_back(photograph.centre());
    lines.push_back({scene.centres.back(), photograph.cam_from_source.rotation.row(2).transpose()});
  }
  const std::optional<Eigen::Vector3d> object = meeting_point(lines);
  if (!object || lines.empty()) return std::nullopt;
  std::vector<double> distances;
  for (const Eigen::Vector3d& centre : scene.centres) distances.push_back((centre - *object).norm());
  scene.distance = upper_median(std::move(distances));
  for (const Eigen::Vector3d& point : capture.points) {
    if (point.allFinite() && (point - *object).norm() < kRadius * scene.distance) scene.points.push_back(point);
  }
  return scene;
}

/// At most `count` points, evenly spread over their list.
std::vector<Eigen::Vector3d> thinned(const std::vector<Eigen::Vector3d>& points, std::size_t count) {
  if (points.size() <= count) return points;
  std::vector<Eigen::Vector3d> some;
  for (std::size_t i = 0; i < count; ++i) some.push_back(points[i * points.size() / count]);
  return some;
}

std::size_t points_on(const Plane& plane, const std::vector<Eigen::Vector3d>& points, double thickness) {
  return static_cast<std::size_t>(
      std::ranges::count_if(points, [&](const auto& point) { return std::abs(plane.height(point)) < thickness; }));
}

bool is_below_everything(const Plane& plane, const UpEvidence& scene) {
  const double thickness = kThickness * scene.distance;
  const auto below =
      std::ranges::count_if(scene.points, [&](const auto& point) { return plane.height(point) < -2 * thickness; });
  return static_cast<double>(below) <= kMostBelow * static_cast<double>(scene.points.size()) &&
         std::ranges::all_of(scene.centres, [&](const auto& centre) { return plane.height(centre) > thickness; });
}

/// Of planes through three points that have everything above them, the one with the most points.
std::optional<Plane> best_plane(const UpEvidence& scene, const Eigen::Vector3d& up) {
  constexpr int kDraws = 2000;
  constexpr std::size_t kScored = 2000;
  const std::vector<Eigen::Vector3d> some = thinned(scene.points, kScored);
  std::mt19937_64 generator(1);
  const auto draw = [&] {
    return some[static_cast<std::size_t>(draw_unit(generator) * static_cast<double>(some.size()))];
  };
  std::optional<Plane> best;
  std::size_t most = 0;
  for (int i = 0; i < kDraws; ++i) {
    const Eigen::Vector3d a = draw(), b = draw(), c = draw();
    Plane plane{(b - a).cross(c - a).normalized(), 0};
    if (plane.normal.dot(up) < 0) plane.normal = -plane.normal;
    if (!(plane.normal.dot(up) > kSameDirection)) continue;  // not of equal points either
    plane.offset = plane.normal.dot(a);
    const std::size_t on = points_on(plane, some, kThickness * scene.distance);
    if (on <= most || !is_below_everything(plane, scene)) continue;
    most = on;
    best = plane;
  }
  return best;
}

/// Least squares over the plane's points, again with those of the result. None if they are too few or not wide.
std::optional<Plane> fitted(Plane plane, const UpEvidence& scene) {
  constexpr int kRounds = 5;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Eigen::Vector3d> on;
    for (const Eigen::Vector3d& point : scene.points) {
      if (std::abs(plane.height(point)) < kThickness * scene.distance) on.push_back(point);
    }
    if (on.size() < kFewestGroundPoints) return std::nullopt;
    if (static_cast<double>(on.size()) < kLeastShare * static_cast<double>(scene.points.size())) return std::nullopt;
    const FittedPlane fit = fit_plane(on);
    if (fit.deviation(1) < kLeastWidth * scene.distance) return std::nullopt;
    plane.normal = fit.normal.dot(plane.normal) < 0 ? Eigen::Vector3d(-fit.normal) : fit.normal;
    plane.offset = plane.normal.dot(fit.mean);
  }
  return plane;
}

}  // namespace

FittedPlane fit_plane(std::span<const Eigen::Vector3d> points) {
  const auto count = static_cast<double>(points.size());
  FittedPlane plane;
  for (const Eigen::Vector3d& point : points) plane.mean += point;
  plane.mean /= count;
  Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
  for (const Eigen::Vector3d& point : points) sum += (point - plane.mean) * (point - plane.mean).transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(sum);
  plane.normal = solver.eigenvectors().col(0);
  plane.deviation = (solver.eigenvalues().cwiseMax(0) / count).cwiseSqrt();
  return plane;
}

std::optional<Eigen::Vector3d> ground_normal(const Capture& capture, const Eigen::Vector3d& up) {
  const std::optional<UpEvidence> scene = split_scene(capture);
  if (!scene || scene->points.size() < kFewestGroundPoints) return std::nullopt;
  const std::optional<Plane> drawn = best_plane(*scene, up);
  if (!drawn) return std::nullopt;
  const std::optional<Plane> plane = fitted(*drawn, *scene);
  if (!plane || !(plane->normal.dot(up) > kSameDirection) || !is_below_everything(*plane, *scene)) return std::nullopt;
  return plane->normal;
}

namespace {

constexpr double kNear = 0.906;  ///< cosine of 25 degrees: two directions that say the same

struct Horizon {
  Eigen::Vector3d normal = Eigen::Vector3d::UnitY();
  double residual = 1;    ///< root of the weighted mean square of the axes' sines to the horizon
  bool is_plane = false;  ///< the axes span a plane; otherwise the normal is arbitrary
};

/// The direction to which axes are perpendicular, by least squares; axes that are far from it count less.
Horizon fit_horizon(const std::vector<Eigen::Vector3d>& axes) {
  constexpr double kLeastSpread = 0.02;  // of the larger two eigenvalues
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
    horizon.is_plane = solver.eigenvalues()(1) > kLeastSpread * std::max(solver.eigenvalues()(2), 1e-12);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      weights[i] = 1 / (0.02 + std::fabs(axes[i].dot(horizon.normal)));
    }
  }
  return horizon;
}

/// The normal of the plane of the centres, if they lie in one and around its middle.
std::optional<Eigen::Vector3d> ring_normal(std::span<const Photograph> photographs) {
  constexpr double kFlat = 0.06, kRound = 0.4;  // of standard deviations
  constexpr std::size_t kFewestPhotographs = 6;
  if (photographs.size() < kFewestPhotographs) return std::nullopt;
  std::vector<Eigen::Vector3d> centres;
  for (const Photograph& photograph : photographs) centres.push_back(photograph.centre());
  const FittedPlane plane = fit_plane(centres);
  const Eigen::Vector3d& deviation = plane.deviation;
  const bool found = deviation(0) < kFlat * deviation(1) && deviation(1) > kRound * deviation(2);
  return found ? std::optional(plane.normal) : std::nullopt;
}

/// The cameras' axes in the source, and their sums.
struct Axes {
  std::vector<Eigen::Vector3d> rights, downs;
  Eigen::Vector3d up = Eigen::Vector3d::Zero();  ///< the mean: 1 long if all cameras are held alike
  Eigen::Vector3d ahead = Eigen::Vector3d::Zero();
};

Axes camera_axes(std::span<const Photograph> photographs) {
  Axes axes;
  for (const Photograph& photograph : photographs) {
    axes.rights.emplace_back(photograph.cam_from_source.rotation.row(0));
    axes.downs.emplace_back(photograph.cam_from_source.rotation.row(1));
    axes.up -= axes.downs.back();
    axes.ahead += photograph.cam_from_source.rotation.row(2).transpose();
  }
  axes.up /= static_cast<double>(std::max<std::size_t>(1, photographs.size()));
  return axes;
}

double root_mean_square(const std::vector<Eigen::Vector3d>& axes, const Eigen::Vector3d& direction) {
  double sum = 0;
  for (const Eigen::Vector3d& axis : axes) sum += std::pow(axis.dot(direction), 2);
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, axes.size())));
}

std::string format_direction(const Eigen::Vector3d& direction) {
  return fmt::format("{:.3g},{:.3g},{:.3g}", direction.x(), direction.y(), direction.z());
}

}  // namespace

UpDirection up_from_cameras(std::span<const Photograph> photographs) {
  // The mean of cameras that are held alike and look at an object from one height is longer than kHeldAlike, even if
  // they stand all around it. If photographs are stored sideways, it depends on where the cameras are.
  constexpr double kStrong = 0.3, kHeldAlike = 0.85, kMoreExact = 0.7, kMostResidual = 0.3;
  const Axes axes = camera_axes(photographs);
  const bool strong = axes.up.norm() > kStrong;
  const Horizon upright = fit_horizon(axes.rights), turned = fit_horizon(axes.downs);
  const double upright_residual = upright.is_plane ? upright.residual : 1;
  const bool sideways = turned.is_plane && turned.residual < kMostResidual && axes.up.norm() < kHeldAlike &&
                        turned.residual < kMoreExact * upright_residual;

  UpDirection result{axes.up.normalized(), "the cameras' mean"};
  if (axes.up.norm() < 1e-9) result.direction = -photographs.front().cam_from_source.rotation.row(1);
  if (sideways) {
    result = {turned.normal, "the cameras' horizons, turned by 90 degrees"};
  } else if (strong && upright.is_plane && std::fabs(upright.normal.dot(result.direction)) > kNear) {
    result = {upright.normal, "the cameras' horizons"};
  }
  const std::optional<Eigen::Vector3d> ring = ring_normal(photographs);
  const bool is_known = strong || sideways;
  if (ring && (!is_known || std::fabs(ring->dot(result.direction)) > kNear)) result = {*ring, "the ring of cameras"};
  const double sign = strong && !sideways ? result.direction.dot(axes.up) : -result.direction.dot(axes.ahead);
  if (sign < 0) result.direction = -result.direction;
  return result;
}

UpDirection find_up(const Capture& capture) {
  UpDirection found = up_from_cameras(capture.photographs);
  if (const auto ground = ground_normal(capture, found.direction)) found = {*ground, "the ground plane in the points"};
  if (!capture.up) return found;
  UpDirection said{capture.up->normalized(), "the capture's"};
  if (said.direction.dot(found.direction) > kNear) return said;
  // Cameras that hang from a ceiling, or too few of them, say little: the capture's word counts unless the other
  // direction explains how they were held much better.
  const Axes axes = camera_axes(capture.photographs);
  const auto inconsistency = [&](const Eigen::Vector3d& direction) {
    return std::min(root_mean_square(axes.rights, direction), root_mean_square(axes.downs, direction));
  };
  constexpr double kMuchBetter = 0.5, kOpposite = -0.5;
  const bool is_opposite = said.direction.dot(axes.up) < kOpposite;
  const bool keep = capture.up_is_measured ||
                    (!is_opposite && inconsistency(found.direction) > kMuchBetter * inconsistency(said.direction));
  const std::string doubt =
      fmt::format("the capture says that up is {}; by {} it is {}; {} is used: give --up X,Y,Z if it is the wrong one",
                  format_direction(said.direction), found.origin, format_direction(found.direction),
                  keep ? "the first" : "the second");
  UpDirection& result = keep ? said : found;
  result.doubt = doubt;
  return result;
}

}  // namespace p2mpp
