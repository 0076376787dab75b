#include "capture/poses/pose_refinement.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include "base/numbers/median.h"
#include "base/thread_scopes.h"
#include "capture/frame/object_frame.h"
#include "geometry/angles.h"
#include "hull/carving.h"

namespace p2mpp {
namespace {

constexpr std::size_t kFewest = 4, kMost = 150;
constexpr double kTurnPrior = kRadiansPerDegree / std::numbers::sqrt3;  ///< radians, each axis
constexpr double kMovePrior = 0.01 / std::numbers::sqrt3;               ///< of the camera's distance, each axis
constexpr double kPixelNoise = 0.6;                                     ///< of a silhouette's boundary
constexpr double kExact = 0.5;                 ///< pixels of disagreement that the raster explains
constexpr double kLeastMeanDeg = 0.15;         ///< smaller corrections are noise of coarse masks
constexpr double kClearly = 0.7;               ///< of the disagreement before, at most, that must be left
constexpr std::size_t kEnoughToLeaveOut = 10;  ///< with fewer, the rest does not determine the corrections
constexpr double kNoNoise = 3;                 ///< pixels of disagreement that are no errors of masks
constexpr double kLeastBaseline = 0.2;         ///< of the distance: nearer cameras say little about each other
constexpr double kLeastSine = 0.12;            ///< between a tangent ray and the line of the centres

using Vector6d = Eigen::Matrix<double, 6, 1>;

/// The boundary's noise, relative to that of a silhouette whose mask was at least as fine.
double coarseness(std::span<const MaskView> silhouettes) {
  double sum = 0;
  for (const MaskView& silhouette : silhouettes) sum += std::max(1.0, silhouette.grain);
  return sum / static_cast<double>(silhouettes.size());
}

/// The first position along a line of pixels where the boundary crosses half coverage. nullopt if the square's or the
/// photograph's border cuts the boundary, or if there is no boundary.
std::optional<double> first_crossing(const MaskView& silhouette, std::size_t start, std::ptrdiff_t stride) {
  constexpr double kHalf = 127.5;
  double before = 0;
  for (int i = 0; i < silhouette.width; ++i) {
    const std::size_t pixel = start + static_cast<std::size_t>(i * stride);
    const double value = silhouette.coverage[pixel];
    if (!silhouette.is_known(pixel)) return std::nullopt;
    if (value > kHalf) return i == 0 ? std::nullopt : std::optional(i + 0.5 - (value - kHalf) / (value - before));
    before = value;
  }
  return std::nullopt;
}

/// The convex hull of a silhouette as rays in the camera's frame.
std::vector<Eigen::Vector3d> outline(const MaskView& silhouette) {
  const auto side = static_cast<std::size_t>(silhouette.width);
  const auto step = static_cast<std::ptrdiff_t>(side);
  std::vector<Eigen::Vector2d> points;
  for (std::size_t i = 0; i < side; ++i) {
    const double middle = static_cast<double>(i) + 0.5, size = silhouette.width;
    const auto add = [&](std::size_t start, std::ptrdiff_t stride, bool row, bool back) {
      const std::optional<double> found = first_crossing(silhouette, start, stride);
      if (!found) return;
      const double along = back ? size - *found : *found;
      points.push_back(row ? Eigen::Vector2d(along, middle) : Eigen::Vector2d(middle, along));
    };
    add(i * side, 1, true, false);
    add(i * side + side - 1, -1, true, true);
    add(i, step, false, false);
    add((side - 1) * side + i, -step, false, true);
  }
  std::vector<Eigen::Vector3d> rays;
  for (const Eigen::Vector2d& point : convex_hull(std::move(points))) {
    rays.push_back(silhouette.camera().ray_in_cam(point.x(), point.y()));
  }
  return rays;
}

/// Whether the photograph's border cuts the mask there, so that the mask's boundary is not the object's.
bool is_cut(const MaskView& silhouette, const Eigen::Vector3d& ray) {
  constexpr int kCutReach = 2;  // pixels
  const Eigen::Vector2d place = silhouette.camera().pixel_of(ray);
  return place.minCoeff() < kCutReach || place.maxCoeff() > silhouette.width - kCutReach ||
         silhouette.is_near_unknown(place.x(), place.y(), kCutReach);
}

Eigen::Matrix3d rotation_by(const Eigen::Vector3d& vector) {
  const double angle = vector.norm();
  return angle > 0 ? Eigen::AngleAxisd(angle, vector / angle).toRotationMatrix() : Eigen::Matrix3d::Identity();
}

/// A camera whose pose is estimated: x holds a rotation vector in its own frame, and a move in its own frame relative
/// to its distance from the object.
struct EstimatedCamera {
  const MaskView* silhouette = nullptr;
  std::vector<Eigen::Vector3d> rays;
  double distance = 1;
  Vector6d x = Vector6d::Zero();
  bool frozen = false;

  [[nodiscard]] Eigen::Matrix3d rotation(const Vector6d& at) const {
    return rotation_by(at.head<3>()) * silhouette->camera().rotation;
  }
  [[nodiscard]] Eigen::Vector3d centre(const Vector6d& at) const {
    return silhouette->camera().centre + distance * (silhouette->camera().rotation.transpose() * at.tail<3>());
  }
};

/// Angles of rays about the line through two centres, from the plane that holds the object's middle.
struct Pencil {
  Eigen::Vector3d axis, zero, side;

  static std::optional<Pencil> through(const Eigen::Vector3d& a, const Eigen::Vector3d& b,
                                       const Eigen::Vector3d& middle) {
    Pencil pencil;
    pencil.axis = (b - a).normalized();
    const Eigen::Vector3d across = (middle - a) - pencil.axis * pencil.axis.dot(middle - a);
    if (!(across.norm() > 1e-6 * (middle - a).norm())) return std::nullopt;
    pencil.zero = across.normalized();
    pencil.side = pencil.axis.cross(pencil.zero);
    return pencil;
  }
  [[nodiscard]] double angle(const Eigen::Vector3d& direction) const {
    return std::atan2(direction.dot(side), direction.dot(zero));
  }
  [[nodiscard]] double sine(const Eigen::Vector3d& direction) const {
    return std::hypot(direction.dot(side), direction.dot(zero)) / direction.norm();
  }
};

/// The outermost rays of a camera in a pencil.
struct Extent {
  std::array<std::size_t, 2> ray{};  ///< of the least and of the greatest angle
};

std::optional<Extent> angular_extent(const EstimatedCamera& camera, const Pencil& pencil) {
  const Eigen::Matrix3d turned = camera.rotation(camera.x).transpose();
  Extent extent;
  double least = std::numeric_limits<double>::infinity(), greatest = -least;
  for (std::size_t i = 0; i < camera.rays.size(); ++i) {
    const Eigen::Vector3d direction = turned * camera.rays[i];
    if (direction.dot(pencil.zero) <= 0 || pencil.sine(direction) < kLeastSine) return std::nullopt;
    const double angle = pencil.angle(direction);
    if (angle < least) least = angle, extent.ray[0] = i;
    if (angle > greatest) greatest = angle, extent.ray[1] = i;
  }
  return greatest > least ? std::optional(extent) : std::nullopt;
}

/// One touching plane of two cameras.
struct Tangency {
  std::size_t a = 0, b = 0, ray_a = 0, ray_b = 0;
  double pixels = 1;  ///< per radian
};

class Problem {
 public:
  Problem(std::span<const MaskView> silhouettes, const Eigen::Vector3d& middle) : middle_(middle) {
    for (const MaskView& silhouette : silhouettes) {
      EstimatedCamera camera;
      camera.silhouette = &silhouette;
      camera.rays = outline(silhouette);
      camera.distance = (middle - silhouette.camera().centre).norm();
      camera.frozen = camera.rays.size() < 3;
      cameras_.push_back(std::move(camera));
    }
  }

  [[nodiscard]] std::vector<EstimatedCamera>& cameras() { return cameras_; }

  /// The touching planes of the cameras as they are now.
  [[nodiscard]] std::vector<Tangency> tangencies() const {
    std::vector<Tangency> found;
    for (std::size_t a = 0; a < cameras_.size(); ++a) {
      end_if_stopped();
      for (std::size_t b = a + 1; b < cameras_.size(); ++b) {
        if (!cameras_[a].frozen && !cameras_[b].frozen) add_tangencies(a, b, found);
      }
    }
    return found;
  }

  [[nodiscard]] double residual(const Tangency& tangency, const Vector6d& a, const Vector6d& b) const {
    const EstimatedCamera &first = cameras_[tangency.a], &second = cameras_[tangency.b];
    const std::optional<Pencil> pencil = Pencil::through(first.centre(a), second.centre(b), middle_);
    if (!pencil) return 0;
    const double difference = pencil->angle(first.rotation(a).transpose() * first.rays[tangency.ray_a]) -
                              pencil->angle(second.rotation(b).transpose() * second.rays[tangency.ray_b]);
    return tangency.pixels * std::remainder(difference, 2 * std::numbers::pi);
  }
  [[nodiscard]] double residual(const Tangency& tangency) const {
    return residual(tangency, cameras_[tangency.a].x, cameras_[tangency.b].x);
  }

  /// Median of the absolute residuals, in pixels.
  [[nodiscard]] double disagreement() const {
    std::vector<double> sizes;
    for (const Tangency& tangency : tangencies()) sizes.push_back(std::fabs(residual(tangency)));
    return sizes.size() < 2 * cameras_.size() ? 0 : upper_median(std::move(sizes));  // too few say nothing
  }

  /// Adds the absolute residuals of the frozen cameras against the others, in pixels.
  void add_residuals_of_frozen(std::vector<double>& sizes) const {
    std::vector<Tangency> found;
    for (std::size_t a = 0; a < cameras_.size(); ++a) {
      for (std::size_t b = a + 1; b < cameras_.size(); ++b) {
        if (cameras_[a].frozen != cameras_[b].frozen) add_tangencies(a, b, found);
      }
    }
    for (const Tangency& tangency : found) sizes.push_back(std::fabs(residual(tangency)));
  }

  /// A step of Gauss and Newton with weights of Cauchy's loss of this scale in pixels. Its largest turn in radians.
  double step(double scale) {
    const auto size = static_cast<Eigen::Index>(6 * cameras_.size());
    Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(size, size);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(size);
    for (std::size_t i = 0; i < cameras_.size(); ++i) {
      for (Eigen::Index k = 0; k < 6; ++k) {
        const double sigma = k < 3 ? kTurnPrior : kMovePrior;
        const auto row = static_cast<Eigen::Index>(6 * i) + k;
        normal(row, row) += 1 / (sigma * sigma);
        right(row) -= cameras_[i].x(k) / (sigma * sigma);
      }
    }
    for (const Tangency& tangency : tangencies()) add(tangency, scale, normal, right);
    const Eigen::VectorXd solution = normal.selfadjointView<Eigen::Lower>().ldlt().solve(right);
    double largest = 0;
    for (std::size_t i = 0; i < cameras_.size(); ++i) {
      if (cameras_[i].frozen) continue;
      const Vector6d change = solution.segment<6>(static_cast<Eigen::Index>(6 * i));
      cameras_[i].x += change;
      largest = std::max(largest, change.head<3>().norm());
    }
    return largest;
  }

 private:
  void add_tangencies(std::size_t a, std::size_t b, std::vector<Tangency>& found) const {
    const EstimatedCamera &first = cameras_[a], &second = cameras_[b];
    const Eigen::Vector3d from = first.centre(first.x), to = second.centre(second.x);
    if ((to - from).norm() < kLeastBaseline * std::min(first.distance, second.distance)) return;
    const std::optional<Pencil> pencil = Pencil::through(from, to, middle_);
    if (!pencil) return;
    const std::optional<Extent> one = angular_extent(first, *pencil), other = angular_extent(second, *pencil);
    if (!one || !other) return;
    for (std::size_t end = 0; end < 2; ++end) {
      const Eigen::Vector3d &ray_a = first.rays[one->ray[end]], &ray_b = second.rays[other->ray[end]];
      if (is_cut(*first.silhouette, ray_a) || is_cut(*second.silhouette, ray_b)) continue;
      const auto blur = [&](const EstimatedCamera& camera,
                            const Eigen::Vector3d& ray) {  // radians of the plane a pixel
        const double sine = pencil->sine(camera.rotation(camera.x).transpose() * ray);
        return 1 / (camera.silhouette->camera().focal.x() * sine * ray.norm());
      };
      const double pixels = std::numbers::sqrt2 / std::hypot(blur(first, ray_a), blur(second, ray_b));
      found.push_back({a, b, one->ray[end], other->ray[end], pixels});
    }
  }

  void add(const Tangency& tangency, double scale, Eigen::MatrixXd& normal, Eigen::VectorXd& right) const {
    constexpr double kStep = 1e-5;
    const Vector6d &a = cameras_[tangency.a].x, &b = cameras_[tangency.b].x;
    const double now = residual(tangency, a, b);
    const double weight = 1 / (2 * kPixelNoise * kPixelNoise * (1 + now * now / (scale * scale)));
    Vector6d slope_a, slope_b;
    for (int k = 0; k < 6; ++k) {
      const Vector6d moved = kStep * Vector6d::Unit(k);
      slope_a(k) = (residual(tangency, a + moved, b) - now) / kStep;
      slope_b(k) = (residual(tangency, a, b + moved) - now) / kStep;
    }
    const auto i = static_cast<Eigen::Index>(6 * tangency.a), j = static_cast<Eigen::Index>(6 * tangency.b);
    normal.block<6, 6>(i, i) += weight * slope_a * slope_a.transpose();
    normal.block<6, 6>(j, j) += weight * slope_b * slope_b.transpose();
    normal.block<6, 6>(j, i) += weight * slope_b * slope_a.transpose();  // below the diagonal: i < j
    right.segment<6>(i) -= weight * now * slope_a;
    right.segment<6>(j) -= weight * now * slope_b;
  }

  Eigen::Vector3d middle_;
  std::vector<EstimatedCamera> cameras_;
};

/// The angle by which the object's direction turns in the camera's image, and about it.
double turn_angle(const EstimatedCamera& camera, const Eigen::Vector3d& middle) {
  const Eigen::Vector3d before = camera.silhouette->camera().rotation * (middle - camera.silhouette->camera().centre);
  const Eigen::Vector3d after = camera.rotation(camera.x) * (middle - camera.centre(camera.x));
  const double shift = std::atan2(before.cross(after).norm(), before.dot(after));
  return std::hypot(shift, camera.x.z());
}

void solve(Problem& problem) {
  constexpr int kSteps = 8;
  constexpr double kSmall = 1e-5;
  for (const double scale : {12.0, 4.0, 1.5}) {
    for (int i = 0; i < kSteps && problem.step(scale) > kSmall; ++i) {
    }
  }
}

/// How much better masks that are left out agree with cameras that are corrected without them: the ratio of their
/// residuals after and before. If each camera has an error of its own, half of the residuals' variance goes. If the
/// cameras are exact, the correction follows errors of the masks, and the residuals of others grow.
double left_out_ratio(std::span<const MaskView> silhouettes, const Eigen::Vector3d& middle) {
  constexpr std::size_t kFolds = 4;
  std::vector<double> before, after;
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    Problem problem(silhouettes, middle);
    std::vector<EstimatedCamera>& cameras = problem.cameras();
    for (std::size_t i = fold; i < cameras.size(); i += kFolds) cameras[i].frozen = true;
    problem.add_residuals_of_frozen(before);
    solve(problem);
    problem.add_residuals_of_frozen(after);
  }
  if (before.empty() || after.empty()) return 1;
  return upper_median(std::move(after)) / std::max(upper_median(std::move(before)), 1e-9);
}

}  // namespace

PoseRefinement refine_poses(std::span<const MaskView> silhouettes) {
  constexpr int kRounds = 3;
  PoseRefinement result;
  result.corrections.resize(silhouettes.size());
  if (silhouettes.size() < kFewest || silhouettes.size() > kMost) return result;
  const std::optional<Eigen::Vector3d> middle = object_middle(silhouettes);
  if (!middle) return result;
  Problem problem(silhouettes, *middle);
  result.before = result.after = problem.disagreement();
  if (result.before < kExact * coarseness(silhouettes)) return result;
  for (int round = 0; round < kRounds; ++round) {
    solve(problem);
    bool wrong = false;
    for (EstimatedCamera& camera : problem.cameras()) {
      if (turn_angle(camera, *middle) <= kLargestCorrectionDeg * kRadiansPerDegree) continue;
      camera.frozen = wrong = true;  // its pose or its mask is wrong: no small error
      camera.x.setZero();
    }
    if (!wrong) break;
  }
  result.after = problem.disagreement();
  if (!(result.after < kClearly * result.before)) return result;
  for (std::size_t i = 0; i < silhouettes.size(); ++i) {
    const EstimatedCamera& camera = problem.cameras()[i];
    if (camera.frozen) continue;
    const double degrees = turn_angle(camera, *middle) / kRadiansPerDegree;
    result.mean_deg += degrees / static_cast<double>(silhouettes.size());
    result.largest_deg = std::max(result.largest_deg, degrees);
    result.corrections[i].turn = silhouettes[i].camera().rotation.transpose() * camera.rotation(camera.x);
    result.corrections[i].move = camera.centre(camera.x) - silhouettes[i].camera().centre;
  }
  const bool is_no_noise = silhouettes.size() < kEnoughToLeaveOut && result.before > kNoNoise * coarseness(silhouettes);
  result.applied = result.mean_deg >= kLeastMeanDeg && (is_no_noise || left_out_ratio(silhouettes, *middle) < 1);
  if (!result.applied) result.corrections.assign(silhouettes.size(), {});
  return result;
}

void correct_pose(const PoseCorrection& correction, MaskView& silhouette) {
  silhouette.set_pose(silhouette.camera().rotation * correction.turn, silhouette.camera().centre + correction.move);
}

void correct_pose(const PoseCorrection& correction, Photograph& photograph) {
  const Eigen::Vector3d centre = photograph.centre() + correction.move;
  photograph.cam_from_source = rigid_from_centre(photograph.cam_from_source.rotation * correction.turn, centre);
}

}  // namespace p2mpp
