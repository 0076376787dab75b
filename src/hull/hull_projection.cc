#include "hull/hull_projection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/numbers/median.h"
#include "base/thread_scopes.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr int kRaster = 128;   ///< pixels a side, of a reduced silhouette
constexpr float kRim = 0.75F;  ///< raster pixels: a silhouette's rim is explained by chance
constexpr std::size_t kRasterPixels = std::size_t{kRaster} * kRaster;

/// Calls body(pixel, cell's index) for every pixel of a raster that a cell of the hull covers.
template <typename Body>
void for_each_covered(const Hull& hull, const MaskView& silhouette, const Body& body) {
  const double focal = silhouette.camera().focal.x() * kRaster / silhouette.width;
  const Eigen::Matrix3d rotation = silhouette.camera().rotation;
  for (std::size_t i = 0; i < hull.surface.size(); ++i) {
    const Eigen::Vector3d point = rotation * (hull.surface[i].cast<double>() - silhouette.camera().centre);
    if (point.z() <= 0) continue;
    const double scale = focal / point.z(), radius = 0.5 * scale * hull.cell;
    const double x = scale * point.x() + kRaster / 2.0, y = scale * point.y() + kRaster / 2.0;
    if (!(std::fabs(x) < 1e6 && std::fabs(y) < 1e6)) continue;
    const int left = std::max(0, static_cast<int>(std::floor(x - radius)));
    const int right = std::min(kRaster - 1, static_cast<int>(std::floor(x + radius)));
    const int top = std::max(0, static_cast<int>(std::floor(y - radius)));
    const int bottom = std::min(kRaster - 1, static_cast<int>(std::floor(y + radius)));
    for (int row = top; row <= bottom; ++row) {
      for (int column = left; column <= right; ++column)
        body(static_cast<std::size_t>(row) * kRaster + static_cast<std::size_t>(column), i);
    }
  }
}

/// The silhouette's signed distance, in raster pixels, at a pixel of the raster.
float raster_distance(const MaskView& silhouette, std::size_t pixel) {
  const double step = static_cast<double>(silhouette.width) / kRaster;
  const auto column = static_cast<int>(pixel % kRaster), row = static_cast<int>(pixel / kRaster);
  return static_cast<float>(silhouette.distance_at((column + 0.5) * step, (row + 0.5) * step) / step);
}

/// Whether the silhouette knows what a pixel of the raster shows.
bool is_known(const MaskView& silhouette, std::size_t pixel) {
  const int column = static_cast<int>(pixel % kRaster), row = static_cast<int>(pixel / kRaster);
  return silhouette.unknown.empty() || silhouette.is_known((2 * row + 1) * silhouette.width / (2 * kRaster),
                                                           (2 * column + 1) * silhouette.width / (2 * kRaster));
}

/// The smallest and the largest coordinates, on each of the three axes, of the hull's points that project to each pixel
/// of a raster. They bound the moves of the box's sides.
struct Reach {
  std::vector<Eigen::Vector3f> least, most;

  Reach(const Hull& hull, const MaskView& silhouette, const std::vector<Eigen::Vector3f>& coordinates)
      : least(kRasterPixels, Eigen::Vector3f::Constant(std::numeric_limits<float>::infinity())),
        most(kRasterPixels, Eigen::Vector3f::Constant(-std::numeric_limits<float>::infinity())) {
    for_each_covered(hull, silhouette, [&](std::size_t pixel, std::size_t cell) {
      least[pixel] = least[pixel].cwiseMin(coordinates[cell]);
      most[pixel] = most[pixel].cwiseMax(coordinates[cell]);
    });
  }
};

/// The silhouettes that are not excluded.
double worst(const std::vector<SilhouetteFit>& fits, const std::vector<std::size_t>& excluded) {
  double most = 0;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    if (std::find(excluded.begin(), excluded.end(), i) == excluded.end()) most = std::max(most, fits[i].unexplained);
  }
  return most;
}

double mean(const std::vector<SilhouetteFit>& fits) {
  double sum = 0;
  for (const SilhouetteFit& fit : fits) sum += fit.unexplained;
  return sum / static_cast<double>(fits.size());
}

/// nullopt if nothing is left.
std::optional<RobustHull> carved(std::span<const MaskView> silhouettes, std::vector<std::size_t> excluded,
                                 int allowance, int depth) {
  std::vector<MaskView> used;
  for (std::size_t i = 0; i < silhouettes.size(); ++i) {
    if (std::find(excluded.begin(), excluded.end(), i) == excluded.end()) used.push_back(silhouettes[i]);
  }
  CarvingOptions options;
  options.allowance = allowance;
  options.depth = depth;
  try {
    RobustHull result{carve(used, options), std::move(excluded), allowance, {}};
    result.fits = silhouette_fits(result.hull, silhouettes);
    return result;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<SilhouetteFit> silhouette_fits(const Hull& hull, std::span<const MaskView> silhouettes) {
  constexpr float kBoundary = 1;  // raster pixels on both sides that do not count
  std::vector<SilhouetteFit> fits;
  for (const MaskView& silhouette : silhouettes) {
    end_if_stopped();
    std::vector<char> covered(kRasterPixels);
    for_each_covered(hull, silhouette, [&](std::size_t pixel, std::size_t) { covered[pixel] = 1; });
    int area = 0, counted = 0, missed = 0, beyond = 0;
    for (std::size_t i = 0; i < kRasterPixels; ++i) {
      if (!is_known(silhouette, i)) continue;
      const float distance = raster_distance(silhouette, i);
      area += distance > 0;
      counted += distance > kBoundary;
      missed += distance > kBoundary && !covered[i];
      beyond += distance < -kBoundary && covered[i];
    }
    fits.push_back(
        {counted > 0 ? static_cast<double>(missed) / counted : 0, area > 0 ? static_cast<double>(beyond) / area : 0});
  }
  return fits;
}

std::vector<std::size_t> contradicting_silhouettes(std::span<const MaskView> silhouettes) {
  constexpr double kLeastMisfit = 0.06, kTimesMedian = 4;
  if (silhouettes.size() < 4) return {};
  CarvingOptions options;
  options.depth = 6;
  options.allowance = static_cast<int>(std::max<std::size_t>(1, silhouettes.size() / 8));
  const std::vector<SilhouetteFit> fits = silhouette_fits(carve(silhouettes, options), silhouettes);
  std::vector<double> misfits;
  for (const SilhouetteFit& fit : fits) misfits.push_back(std::max(fit.unexplained, fit.beyond));
  const double limit = std::max(kLeastMisfit, kTimesMedian * upper_median(misfits));
  std::vector<std::size_t> worst(fits.size());
  std::iota(worst.begin(), worst.end(), std::size_t{0});
  std::stable_sort(worst.begin(), worst.end(), [&](std::size_t a, std::size_t b) { return misfits[a] > misfits[b]; });
  std::erase_if(worst, [&](std::size_t i) { return misfits[i] <= limit; });
  worst.resize(std::min(worst.size(), silhouettes.size() / 4));
  return worst;
}

Eigen::Vector3d least_extents(const Hull& hull, std::span<const MaskView> silhouettes) {
  Eigen::Vector3d lower = Eigen::Vector3d::Constant(std::numeric_limits<double>::infinity()), upper = -lower;
  for (const MaskView& silhouette : silhouettes) {
    const Reach reach(hull, silhouette, hull.surface);
    std::vector<std::size_t> inside;
    for (std::size_t i = 0; i < kRasterPixels; ++i) {
      if (!reach.least[i].allFinite() || !is_known(silhouette, i)) continue;
      if (raster_distance(silhouette, i) >= kRim) inside.push_back(i);
    }
    if (inside.empty()) continue;
    const auto stray = static_cast<std::ptrdiff_t>(kStrayPixels * static_cast<double>(inside.size()));
    for (int axis = 0; axis < 3; ++axis) {
      std::vector<float> least, most;
      for (const std::size_t i : inside) {
        least.push_back(-reach.least[i][axis]);  // the largest first
        most.push_back(reach.most[i][axis]);
      }
      std::nth_element(least.begin(), least.begin() + stray, least.end());
      std::nth_element(most.begin(), most.begin() + stray, most.end());
      upper[axis] = std::max(upper[axis], static_cast<double>(-*(least.begin() + stray)));
      lower[axis] = std::min(lower[axis], static_cast<double>(*(most.begin() + stray)));
    }
  }
  return (upper - lower).cwiseMax(0);
}

BoxBounds box_bounds(const Hull& hull, std::span<const MaskView> silhouettes, const Eigen::Matrix3d& axes) {
  const Eigen::Matrix3f rotation = axes.cast<float>();
  std::vector<Eigen::Vector3f> coordinates;
  Eigen::Vector3f lower = Eigen::Vector3f::Constant(std::numeric_limits<float>::infinity()), upper = -lower;
  for (const Eigen::Vector3f& point : hull.surface) {
    coordinates.push_back(rotation * point);
    lower = lower.cwiseMin(coordinates.back());
    upper = upper.cwiseMax(coordinates.back());
  }
  Eigen::Vector3f inner_upper = lower, inner_lower = upper;
  for (const MaskView& silhouette : silhouettes) {
    const Reach reach(hull, silhouette, coordinates);
    for (std::size_t i = 0; i < kRasterPixels; ++i) {
      if (!reach.least[i].allFinite() || !is_known(silhouette, i) || raster_distance(silhouette, i) < kRim) continue;
      inner_upper = inner_upper.cwiseMax(reach.least[i]);
      inner_lower = inner_lower.cwiseMin(reach.most[i]);
    }
  }
  const Eigen::Vector3d slack = Eigen::Vector3d::Constant(hull.cell / 2);
  BoxBounds bounds;
  bounds.lower_outer = lower.cast<double>() - slack;
  bounds.upper_outer = upper.cast<double>() + slack;
  bounds.upper_inner = inner_upper.cast<double>().cwiseMax(inner_lower.cast<double>()) + slack;
  bounds.lower_inner = inner_lower.cast<double>().cwiseMin(inner_upper.cast<double>()) - slack;
  return bounds;
}

Eigen::Vector3d surface_normal(std::span<const MaskView> silhouettes, const Eigen::Vector3d& point) {
  double tightest = std::numeric_limits<double>::infinity();
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();
  for (const MaskView& silhouette : silhouettes) {
    const Eigen::Vector3d seen = silhouette.camera().cam_from_world(point);
    if (seen.z() <= 0) continue;
    const double focal = silhouette.camera().focal.x();
    const Eigen::Vector2d pixel = silhouette.camera().pixel_of(seen);
    const double slack = silhouette.distance_at(seen) * seen.z() / focal;  // in the source's unit
    if (slack >= tightest) continue;
    tightest = slack;
    constexpr double kStep = 1.5;  // pixels
    const auto at = [&](double u, double v) { return silhouette.distance_at(pixel.x() + u, pixel.y() + v); };
    const Eigen::Vector2d inward(at(kStep, 0) - at(-kStep, 0), at(0, kStep) - at(0, -kStep));
    // The plane through the camera's centre and the line through the pixel across `inward`.
    const Eigen::Vector3d plane(inward.x(), inward.y(), -inward.dot(seen.head<2>() / seen.z()));
    normal = -(silhouette.camera().rotation.transpose() * plane);
  }
  return normal.norm() > 1e-9 ? Eigen::Vector3d(normal.normalized()) : Eigen::Vector3d::Zero();
}

RobustHull robust_hull(std::span<const MaskView> silhouettes, int depth) {
  constexpr double kMeanExplained = 0.015;
  std::optional<RobustHull> best = carved(silhouettes, {}, 0, depth);
  const double strict = best ? worst(best->fits, {}) : 1;
  if (strict <= kExplained) return *std::move(best);

  std::vector<std::size_t> excluded;
  try {
    excluded = contradicting_silhouettes(silhouettes);
  } catch (const InputError&) {
    // No point is in most of the silhouettes: carve() below says so.
  }
  for (std::size_t count = 1; count <= excluded.size(); ++count) {
    std::vector<std::size_t> few(excluded.begin(), excluded.begin() + static_cast<std::ptrdiff_t>(count));
    std::sort(few.begin(), few.end());
    std::optional<RobustHull> without = carved(silhouettes, few, 0, depth);
    if (without && worst(without->fits, few) <= std::max(kExplained, 0.3 * strict)) return *std::move(without);
  }
  const int most = static_cast<int>((silhouettes.size() + 6) / 12);
  for (int allowance = 1; allowance <= most && (!best || mean(best->fits) > kMeanExplained); ++allowance) {
    std::optional<RobustHull> allowed = carved(silhouettes, {}, allowance, depth);
    if (allowed) best = std::move(allowed);
  }
  if (best) return *std::move(best);
  Hull hull = carve(silhouettes);  // throws the reason
  return {std::move(hull), {}, 0, std::vector<SilhouetteFit>(silhouettes.size())};
}

}  // namespace p2mpp
