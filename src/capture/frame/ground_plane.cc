#include "capture/frame/ground_plane.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
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
struct Scene {
  std::vector<Eigen::Vector3d> centres;  ///< of the cameras
  std::vector<Eigen::Vector3d> points;   ///< near the object
  double distance = 0;                   ///< of the cameras from the object, the median
};

/// None if the cameras do not look at one place.
std::optional<Scene> scene_of(const Capture& capture) {
  Scene scene;
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

bool is_below_everything(const Plane& plane, const Scene& scene) {
  const double thickness = kThickness * scene.distance;
  const auto below =
      std::ranges::count_if(scene.points, [&](const auto& point) { return plane.height(point) < -2 * thickness; });
  return static_cast<double>(below) <= kMostBelow * static_cast<double>(scene.points.size()) &&
         std::ranges::all_of(scene.centres, [&](const auto& centre) { return plane.height(centre) > thickness; });
}

/// Of planes through three points that have everything above them, the one with the most points.
std::optional<Plane> best_plane(const Scene& scene, const Eigen::Vector3d& up) {
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
std::optional<Plane> fitted(Plane plane, const Scene& scene) {
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
  const std::optional<Scene> scene = scene_of(capture);
  if (!scene || scene->points.size() < kFewestGroundPoints) return std::nullopt;
  const std::optional<Plane> drawn = best_plane(*scene, up);
  if (!drawn) return std::nullopt;
  const std::optional<Plane> plane = fitted(*drawn, *scene);
  if (!plane || !(plane->normal.dot(up) > kSameDirection) || !is_below_everything(*plane, *scene)) return std::nullopt;
  return plane->normal;
}

}  // namespace p2mpp
