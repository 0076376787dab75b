#include "capture/hull/carving.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/numbers/median.h"
#include "base/stop_token.h"
#include "geometry/cameras/meeting_point.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr double kHalfDiagonal = 1.7320508075688772;  ///< of a cube, relative to half its side

enum class BallSide : std::uint8_t { kOutside, kInside, kCrossed };

/// The projection of a ball relative to a silhouette.
BallSide ball_side(const MaskView& silhouette, const Eigen::Vector3d& middle, double radius, double tolerance) {
  const Eigen::Vector3d point = silhouette.camera().cam_from_world(middle);
  if (point.z() <= radius) return point.z() <= -radius ? BallSide::kOutside : BallSide::kCrossed;
  const double x = point.x() / point.z(), y = point.y() / point.z();
  const double distance = tolerance + silhouette.distance_at(point);
  const double reach = silhouette.camera().focal.x() * radius * std::sqrt(1 + x * x + y * y) / (point.z() - radius);
  if (distance > reach) return BallSide::kInside;
  return distance < -reach ? BallSide::kOutside : BallSide::kCrossed;
}

bool holds(const MaskView& silhouette, const Eigen::Vector3d& middle, double tolerance) {
  const Eigen::Vector3d point = silhouette.camera().cam_from_world(middle);
  if (point.z() <= 0) return false;
  return silhouette.distance_at(point) >= -tolerance;
}

class Octree {
 public:
  Octree(std::span<const MaskView> silhouettes, const CarvingBounds& bounds, const CarvingOptions& options)
      : silhouettes_(silhouettes), bounds_(bounds), options_(options) {
    hull_.cell = 2 * bounds.half / static_cast<double>(1 << options.depth);
    undecided_.resize(static_cast<std::size_t>(options.depth) + 2);
    for (std::uint32_t i = 0; i < silhouettes.size(); ++i) undecided_[0].push_back(i);
    hull_.lower.setConstant(std::numeric_limits<double>::infinity());
    hull_.upper = -hull_.lower;
  }

  Hull carve() {
    visit(bounds_.middle, bounds_.half, 0, 0);
    if (hull_.volume > 0) hull_.centroid /= hull_.volume;
    const double slack = hull_.cell / 2;
    const Eigen::Vector3d half = Eigen::Vector3d::Constant(bounds_.half - slack);
    hull_.open = hull_.volume > 0 && ((hull_.lower.array() <= (bounds_.middle - half).array()).any() ||
                                      (hull_.upper.array() >= (bounds_.middle + half).array()).any());
    return std::move(hull_);
  }

 private:
  /// `outside`: how many silhouettes are known not to hold any of the cell.
  void visit(const Eigen::Vector3d& middle, double half, int level, int outside) {
    constexpr int kAskedLevels = 6;  // below, a cell takes little time
    if (level < kAskedLevels) end_if_stopped();
    const auto depth = static_cast<std::size_t>(level);
    std::vector<std::uint32_t>& rest = undecided_[depth + 1];
    if (level == options_.depth) {
      if (is_inside(middle, undecided_[depth], outside)) keep(middle, half, true);
      return;
    }
    rest.clear();
    for (const std::uint32_t i : undecided_[depth]) {
      const BallSide side = ball_side(silhouettes_[i], middle, half * kHalfDiagonal, options_.tolerance);
      if (side == BallSide::kOutside && ++outside > options_.allowance) return;
      if (side == BallSide::kCrossed) rest.push_back(i);
    }
    if (rest.empty()) return keep(middle, half, false);
    for (int child = 0; child < 8; ++child) {
      const Eigen::Vector3d step(child & 1 ? half / 2 : -half / 2, child & 2 ? half / 2 : -half / 2,
                                 child & 4 ? half / 2 : -half / 2);
      visit(middle + step, half / 2, level + 1, outside);
    }
  }

  [[nodiscard]] bool is_inside(const Eigen::Vector3d& middle, const std::vector<std::uint32_t>& rest,
                               int outside) const {
    for (const std::uint32_t i : rest) {
      if (!holds(silhouettes_[i], middle, options_.tolerance) && ++outside > options_.allowance) return false;
    }
    return true;
  }

  void keep(const Eigen::Vector3d& middle, double half, bool at_surface) {
    if (at_surface) hull_.surface.push_back(middle.cast<float>());
    const double volume = 8 * half * half * half;
    hull_.volume += volume;
    hull_.centroid += volume * middle;
    hull_.lower = hull_.lower.cwiseMin(middle - Eigen::Vector3d::Constant(half));
    hull_.upper = hull_.upper.cwiseMax(middle + Eigen::Vector3d::Constant(half));
  }

  std::span<const MaskView> silhouettes_;
  CarvingBounds bounds_;
  CarvingOptions options_;
  std::vector<std::vector<std::uint32_t>> undecided_;  ///< by level: silhouettes whose boundary crosses the cell
  Hull hull_;
};

/// The object's size at a point, as the median camera sees it.
double typical_reach(std::span<const MaskView> silhouettes, const Eigen::Vector3d& point) {
  std::vector<double> reaches;
  for (const MaskView& silhouette : silhouettes) {
    reaches.push_back((point - silhouette.camera().centre).norm() * silhouette.width /
                      (2 * silhouette.camera().focal.x()));
  }
  return upper_median(std::move(reaches));
}

}  // namespace

std::optional<Eigen::Vector3d> object_middle(std::span<const MaskView> silhouettes) {
  std::vector<SightLine> axes;
  for (const MaskView& silhouette : silhouettes)
    axes.push_back({silhouette.camera().centre, silhouette.camera().rotation.row(2)});
  return meeting_point(axes);
}

Hull carve(std::span<const MaskView> silhouettes, const CarvingBounds& bounds, const CarvingOptions& options) {
  return Octree(silhouettes, bounds, options).carve();
}

Hull carve(std::span<const MaskView> silhouettes, const CarvingOptions& options) {
  constexpr int kCoarseDepth = 5, kMostDoublings = 4;
  const std::optional<Eigen::Vector3d> middle = object_middle(silhouettes);
  if (!middle) throw InputError("the cameras look along one line; expected photographs from several sides");
  CarvingBounds bounds{*middle, 1.5 * typical_reach(silhouettes, *middle)};
  CarvingOptions coarse = options;
  coarse.depth = kCoarseDepth;
  coarse.tolerance = options.tolerance + 3;  // cells are large: a thin object has none whose middle is inside
  Hull hull = carve(silhouettes, bounds, coarse);
  for (int i = 0; hull.open && i < kMostDoublings; ++i) {
    bounds.half *= 2;
    hull = carve(silhouettes, bounds, coarse);
  }
  for (int depth = kCoarseDepth + 1; hull.surface.empty() && depth <= kCoarseDepth + 2; ++depth) {
    coarse.depth = depth;
    hull = carve(silhouettes, bounds, coarse);
  }
  if (hull.volume == 0) {
    throw InputError(
        "the silhouettes have no point in common; expected masks of one object, and the cameras of their photographs");
  }
  if (hull.open) {
    throw InputError("the cameras do not enclose the object; expected photographs from several sides");
  }
  const Eigen::Vector3d half = (hull.upper - hull.lower) / 2 + Eigen::Vector3d::Constant(2 * hull.cell);
  hull = carve(silhouettes, {(hull.lower + hull.upper) / 2, half.maxCoeff()}, options);
  // Once more in its own box: the coarse cells were large.
  const Eigen::Vector3d fitted = (hull.upper - hull.lower) / 2 + Eigen::Vector3d::Constant(2 * hull.cell);
  if (hull.volume > 0 && fitted.maxCoeff() < 0.7 * half.maxCoeff()) {
    hull = carve(silhouettes, {(hull.lower + hull.upper) / 2, fitted.maxCoeff()}, options);
  }
  if (hull.volume == 0 || hull.surface.empty()) {
    throw InputError(
        "the silhouettes have no point in common; expected masks of one object, and the cameras of their photographs");
  }
  return hull;
}

}  // namespace p2mpp
