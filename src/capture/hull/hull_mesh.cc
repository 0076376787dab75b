#include "capture/hull/hull_mesh.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "capture/hull/hull_projection.h"
#include "capture/silhouette.h"
#include "fit/mask_check.h"
#include "geometry/even_mesh.h"
#include "geometry/marching_cubes.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

/// The visual hull as a field: approximately the distance to its surface, positive inside.
class HullField {
 public:
  /// The silhouettes must outlive this object. `allowance`: as in CarvingOptions. `step`: the distance over which the
  /// field's gradient is computed.
  HullField(std::span<const Silhouette> silhouettes, int allowance, double step);

  /// In the source's unit. Thread-safe.
  [[nodiscard]] float at(const Eigen::Vector3d& point) const;

  /// Moves a point along the field's gradient onto the surface; a point far from it only comes nearer. Thread-safe.
  [[nodiscard]] Eigen::Vector3f onto(const Eigen::Vector3f& point) const;

 private:
  struct DecidingSilhouette {
    double value = 0;       ///< of the field
    std::size_t index = 0;  ///< of the silhouette
  };
  [[nodiscard]] DecidingSilhouette deciding_silhouette(const Eigen::Vector3d& point) const;
  [[nodiscard]] static double distance(const Silhouette& silhouette, const Eigen::Vector3d& point);

  std::span<const Silhouette> silhouettes_;
  std::size_t allowance_;
  double step_;
};

HullField::HullField(std::span<const Silhouette> silhouettes, int allowance, double step)
    : silhouettes_(silhouettes), allowance_(static_cast<std::size_t>(allowance)), step_(step) {}

/// The distance from a point to the cone of a silhouette.
double HullField::distance(const Silhouette& silhouette, const Eigen::Vector3d& point) {
  const Eigen::Vector3d seen = silhouette.cam_from_source(point);
  const double away = seen.norm();
  if (!(seen.z() > 1e-9 * away)) return -away;
  return silhouette.distance_at(seen) / (silhouette.focal / seen.z());
}

HullField::DecidingSilhouette HullField::deciding_silhouette(const Eigen::Vector3d& point) const {
  // The smallest distances, ascending, one more than the allowance.
  constexpr std::size_t kMost = 32;
  std::array<DecidingSilhouette, kMost> least;
  const std::size_t count = std::min(allowance_ + 1, kMost);
  std::fill_n(least.begin(), count, DecidingSilhouette{std::numeric_limits<double>::infinity(), 0});
  for (std::size_t i = 0; i < silhouettes_.size(); ++i) {
    DecidingSilhouette next{distance(silhouettes_[i], point), i};
    for (std::size_t k = 0; k < count; ++k) {
      if (next.value < least[k].value) std::swap(next, least[k]);
    }
  }
  return least[count - 1];
}

float HullField::at(const Eigen::Vector3d& point) const { return static_cast<float>(deciding_silhouette(point).value); }

Eigen::Vector3f HullField::onto(const Eigen::Vector3f& point) const {
  constexpr int kSteps = 3;
  constexpr double kLongest = 4;  // of a step, in units of step_
  Eigen::Vector3d place = point.cast<double>();
  for (int i = 0; i < kSteps; ++i) {
    const DecidingSilhouette here = deciding_silhouette(place);
    const Silhouette& silhouette = silhouettes_[here.index];
    Eigen::Vector3d slope;
    for (int axis = 0; axis < 3; ++axis) {
      const Eigen::Vector3d aside = step_ * Eigen::Vector3d::Unit(axis);
      slope[axis] = (distance(silhouette, place + aside) - distance(silhouette, place - aside)) / (2 * step_);
    }
    const double steepness = slope.squaredNorm();
    if (steepness < 0.01) break;  // on a ridge of the distances
    Eigen::Vector3d way = -here.value / steepness * slope;
    if (const double length = way.norm(); length > kLongest * step_) way *= kLongest * step_ / length;
    place += way;
  }
  return place.cast<float>();
}

constexpr int kCoarseDepth = 6, kLeastDepth = 6, kMostDepth = 8;

/// The masks that are used, as silhouettes, and the message about the others.
struct UsableMasks {
  std::vector<Silhouette> silhouettes;
  int allowance = 0;
  Hull hull;
  std::string note;
};

void check_intrinsics(const FitMask& mask, std::size_t index) {
  const Intrinsics& seen = mask.camera.intrinsics;
  constexpr double kSame = 1e-6;
  if (std::fabs(seen.fx - seen.fy) <= kSame * seen.fx && std::fabs(seen.cx - kImageSize / 2) <= kSame * kImageSize &&
      std::fabs(seen.cy - kImageSize / 2) <= kSame * kImageSize) {
    return;
  }
  throw InputError(fmt::format(
      "{}: fx {:g}, fy {:g}, cx {:g}, cy {:g}; the hull expects one focal length and the principal point in the middle",
      mask_label(mask, index), seen.fx, seen.fy, seen.cx, seen.cy));
}

UsableMasks usable_masks(std::span<const FitMask> masks, int threads) {
  std::vector<std::size_t> shown;
  std::vector<std::string> reasons;
  for (std::size_t i = 0; i < masks.size(); ++i) {
    check_mask(masks[i], i);
    check_intrinsics(masks[i], i);
    try {
      check_shows_object(masks[i]);
      shown.push_back(i);
    } catch (const InputError& error) {
      reasons.push_back(fmt::format("{}: {}", mask_label(masks[i], i), error.what()));
    }
  }
  if (shown.size() < 2) {
    throw InputError(fmt::format("{} of {} masks show the object; expected at least 2 for its hull{}", shown.size(),
                                 masks.size(), reasons.empty() ? "" : "; " + reasons.front()));
  }
  std::vector<std::optional<Silhouette>> made(shown.size());
  for_each_task(shown.size(), threads, [&](std::size_t i) { made[i] = make_silhouette(masks[shown[i]]); });
  std::vector<Silhouette> all;
  for (auto& silhouette : made) all.push_back(*std::move(silhouette));
  RobustHull robust = robust_hull(all, kCoarseDepth);
  UsableMasks used{{}, robust.allowance, std::move(robust.hull), {}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (std::ranges::count(robust.excluded, i) > 0) {
      reasons.push_back(fmt::format("{}: contradicts the others", mask_label(masks[shown[i]], shown[i])));
    } else {
      used.silhouettes.push_back(std::move(all[i]));
    }
  }
  if (!reasons.empty()) {
    used.note = fmt::format("{} of {} masks are not used: {}", reasons.size(), masks.size(), reasons.front());
  }
  return used;
}

/// A cube around everything that may belong to the hull's surface, and a cell's width on each side.
CarvingBounds carving_bounds(const UsableMasks& used, const CarvingOptions& options) {
  constexpr int kMostDoublings = 4;
  const Eigen::Vector3d half = (used.hull.upper - used.hull.lower) / 2;
  CarvingBounds bounds{(used.hull.lower + used.hull.upper) / 2, 1.25 * half.maxCoeff()};
  for (int i = 0; i <= kMostDoublings; ++i, bounds.half *= 2) {
    const std::vector<GridCell> cells = crossed_cells(used.silhouettes, bounds, options);
    const std::int32_t last = (1 << options.depth) - 1;
    Eigen::Vector3d lower = Eigen::Vector3d::Constant(last), upper = Eigen::Vector3d::Zero();
    for (const GridCell& cell : cells) {
      const Eigen::Vector3d corner(cell[0], cell[1], cell[2]);
      lower = lower.cwiseMin(corner);
      upper = upper.cwiseMax(corner);
    }
    if (cells.empty()) break;
    if (lower.minCoeff() == 0 || upper.maxCoeff() == last) continue;
    const double side = 2 * bounds.half / (last + 1);
    const Eigen::Vector3d first = bounds.middle - Eigen::Vector3d::Constant(bounds.half);
    return {first + side * (lower + upper + Eigen::Vector3d::Ones()) / 2, side * ((upper - lower).maxCoeff() + 3) / 2};
  }
  throw InputError("the masks do not enclose the object; expected views from several sides");
}

/// The size of a silhouette's pixel at the object, as the median camera sees it.
double pixel_at(std::span<const Silhouette> silhouettes, const Eigen::Vector3d& middle) {
  std::vector<double> sizes;
  for (const Silhouette& silhouette : silhouettes)
    sizes.push_back((middle - silhouette.centre).norm() / silhouette.focal);
  std::ranges::nth_element(sizes, sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2));
  return sizes[sizes.size() / 2];
}

/// About as many vertices as asked for, and never fewer or more than a mesh may have.
TriangleMesh evened(const TriangleMesh& mesh, const HullField& field, const HullMeshOptions& options) {
  constexpr int kTries = 4;
  constexpr double kMargin = 1.06;
  std::size_t wanted = options.target_vertices;
  for (int i = 0;; ++i) {
    TriangleMesh even = even_mesh(
        mesh, wanted, [&](const Eigen::Vector3f& point) { return field.onto(point); }, options.threads);
    const auto count = static_cast<double>(even.vertices.size());
    const double allowed = std::clamp<double>(count, kMinInitialVertices, kMaxInitialVertices);
    if (count == allowed || i == kTries) return even;
    wanted = static_cast<std::size_t>(static_cast<double>(wanted) * allowed / count *
                                      (allowed > count ? kMargin : 1 / kMargin));
  }
}

}  // namespace

HullMesh hull_mesh(std::span<const FitMask> masks, const HullMeshOptions& options) {
  if (options.target_vertices < kMinInitialVertices || options.target_vertices > kMaxInitialVertices) {
    throw InputError(fmt::format("{} vertices of the hull; expected {} to {}", options.target_vertices,
                                 kMinInitialVertices, kMaxInitialVertices));
  }
  const UsableMasks used = usable_masks(masks, options.threads);
  CarvingOptions carving{.depth = kCoarseDepth, .allowance = used.allowance, .tolerance = 0};
  const CarvingBounds bounds = carving_bounds(used, carving);
  const double pixel = pixel_at(used.silhouettes, bounds.middle);
  carving.depth = std::clamp(static_cast<int>(std::ceil(std::log2(2 * bounds.half / pixel))), kLeastDepth, kMostDepth);
  const CellGrid grid{bounds.middle - Eigen::Vector3d::Constant(bounds.half),
                      2 * bounds.half / static_cast<double>(1 << carving.depth), 1 << carving.depth};
  const HullField field(used.silhouettes, used.allowance, grid.cell / 2);
  const TriangleMesh fine = marching_cubes(
      grid, crossed_cells(used.silhouettes, bounds, carving),
      [&](const Eigen::Vector3d& point) { return field.at(point); }, options.threads);
  if (fine.triangles.empty()) {
    throw InputError("the masks overlap in less than a pixel; expected masks of one object");
  }
  return {evened(without_specks(fine).mesh, field, options), used.silhouettes.size(), used.note};
}

}  // namespace p2mpp
