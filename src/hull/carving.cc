#include "hull/carving.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/numbers/median.h"
#include "base/parallel.h"
#include "base/thread_scopes.h"
#include "geometry/cameras/meeting_point.h"
#include "hull/block_grid.h"
#include "hull/hull_votes.h"
#include "hull/ray_walk.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr int kBlocks = 8;  ///< of a side of the searched cube

/// Where a mask shows the object: the direction to its middle, and the tangent of its largest angle from there.
struct Aim {
  Eigen::Vector3f direction;
  float spread = 0;
};

Aim find_aim(const MaskView& view) {
  Eigen::Vector3f sum = Eigen::Vector3f::Zero();
  const auto visit = [&](const auto& body) {
    for (int row = 0; row < view.width; row += 2) {
      for (int column = 0; column < view.width; column += 2) {
        if (view.is_object(row, column)) body(view.ray(row, column).normalized());
      }
    }
  };
  visit([&](const Eigen::Vector3f& direction) { sum += direction; });
  Aim aim{sum.normalized()};
  visit([&](const Eigen::Vector3f& direction) {
    aim.spread =
        std::max(aim.spread, direction.cross(aim.direction).norm() / std::max(0.1F, direction.dot(aim.direction)));
  });
  return aim;
}

std::vector<Aim> find_aims(std::span<const MaskView> views) {
  std::vector<Aim> aims;
  for (const MaskView& view : views) aims.push_back(find_aim(view));
  return aims;
}

std::optional<Eigen::Vector3d> find_meeting_point(std::span<const MaskView> views, std::span<const Aim> aims) {
  std::vector<SightLine> lines;
  for (std::size_t i = 0; i < views.size(); ++i) {
    lines.push_back({views[i].float_camera().centre.cast<double>(), aims[i].direction.cast<double>().normalized()});
  }
  return meeting_point(lines);
}

/// The voxels of a cube that may belong to the hull; empty if there are none.
std::optional<Box> count_voxels(const HullVotes& votes, const Eigen::Vector3f& middle, float half, int threads) {
  const Eigen::Vector3f lower = middle - Eigen::Vector3f::Constant(half);
  const BlockGrid grid(lower, 2 * half / (kBlocks * kBlockSide), Eigen::Vector3i::Constant(kBlocks));
  const std::vector<float> distances = votes.distances(grid, threads);
  const float reach = std::sqrt(3.0F) / 2 * grid.voxel();
  constexpr float kEndless = std::numeric_limits<float>::infinity();
  Box box{Eigen::Vector3f::Constant(kEndless), Eigen::Vector3f::Constant(-kEndless)};
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (distances[i] < -reach) continue;
    const Eigen::Vector3f centre = grid.centre(i), around = Eigen::Vector3f::Constant(grid.voxel());
    box.lower = box.lower.cwiseMin(centre - around);
    box.upper = box.upper.cwiseMax(centre + around);
  }
  if (!(box.lower.array() < box.upper.array()).all()) return {};
  return box;
}

}  // namespace

std::optional<Eigen::Vector3d> object_middle(std::span<const MaskView> views) {
  return find_meeting_point(views, find_aims(views));
}

Box object_box(std::span<const MaskView> views, int allowance, int threads) {
  constexpr int kDoublings = 3;
  const std::vector<Aim> aims = find_aims(views);
  const std::optional<Eigen::Vector3d> meeting = find_meeting_point(views, aims);
  if (!meeting) throw InputError("the cameras look along one line; expected photographs from several sides");
  Eigen::Vector3f middle = meeting->cast<float>();
  std::vector<float> reaches;
  for (std::size_t i = 0; i < views.size(); ++i) {
    reaches.push_back((middle - views[i].float_camera().centre).norm() * aims[i].spread);
  }
  float half = 1.6F * upper_median(std::move(reaches));
  const HullVotes votes(views, allowance);
  for (int doublings = 0;;) {
    const std::optional<Box> box = count_voxels(votes, middle, half, threads);
    if (!box) throw InputError(kNothingInCommon);
    const Eigen::Vector3f edge = Eigen::Vector3f::Constant(0.99F * half);
    if (((box->lower - middle).array() < -edge.array()).any() || ((box->upper - middle).array() > edge.array()).any()) {
      if (doublings++ == kDoublings) {
        throw InputError("the cameras do not enclose the object; expected photographs from several sides");
      }
      half *= 2;
      continue;
    }
    const float tight = (box->upper - box->lower).maxCoeff() / 2;
    if (tight > 0.6F * half) return *box;
    middle = (box->lower + box->upper) / 2;
    half = 1.2F * tight;
  }
}

namespace {

/// Sums of the hull's cells.
struct CarvedCells {
  double count = 0;
  Eigen::Vector3f lower = Eigen::Vector3f::Constant(std::numeric_limits<float>::infinity()), upper = -lower;

  void add(const Eigen::Vector3f& middle, float side, double cells) {
    count += cells;
    lower = lower.cwiseMin(middle - Eigen::Vector3f::Constant(side / 2));
    upper = upper.cwiseMax(middle + Eigen::Vector3f::Constant(side / 2));
  }
};

}  // namespace

Hull carve(std::span<const MaskView> silhouettes, const Box& bounds, const CarvingOptions& options) {
  constexpr float kSurface = 1.5F;  // cells from the boundary: a ray that enters the hull meets one of them
  const HullVotes votes(silhouettes, options.allowance, options.tolerance);
  const float cell = (bounds.upper - bounds.lower).maxCoeff() / static_cast<float>(1 << options.depth);
  const Eigen::Vector3f size = bounds.upper - bounds.lower, block = Eigen::Vector3f::Constant(2 * kBlockSide * cell);
  const Eigen::Vector3i counts = (size.cwiseQuotient(block).array() - 1e-3F).ceil().cast<int>().cwiseMax(1);
  const BlockGrid coarse((bounds.lower + bounds.upper - counts.cast<float>().cwiseProduct(block)) / 2, 2 * cell,
                         counts);
  CarvedCells cells;
  const BlockGrid grid = coarse.refined([&](const Eigen::Vector3i& place) -> std::int32_t {
    const Eigen::Vector3f middle = coarse.fine_middle(place);
    const HullVotes::Side side = votes.side(middle, block_radius(coarse) / 2);
    if (side == HullVotes::Side::kCrossed) return 0;
    if (side == HullVotes::Side::kInside) cells.add(middle, kBlockSide * cell, kBlockVoxels);
    return side == HullVotes::Side::kInside ? BlockGrid::kFull : BlockGrid::kEmpty;
  });
  end_if_stopped();
  const std::vector<float> distances = votes.distances(grid, 1, kSurface);
  Hull hull;
  hull.cell = cell;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (distances[i] < 0) continue;
    const Eigen::Vector3f centre = grid.centre(i);
    cells.add(centre, cell, 1);
    if (distances[i] < kSurface * cell) hull.surface.push_back(centre);
  }
  if (cells.count == 0) return hull;
  hull.volume = cells.count * hull.cell * hull.cell * hull.cell;
  hull.lower = cells.lower.cast<double>();
  hull.upper = cells.upper.cast<double>();
  return hull;
}

Hull carve(std::span<const MaskView> silhouettes, const CarvingOptions& options) {
  Hull hull = carve(silhouettes, object_box(silhouettes, options.allowance, 1), options);
  if (hull.surface.empty()) throw InputError(kNothingInCommon);
  return hull;
}

namespace {

/// Rays of a mask's pixels, by the smallest number of masks that object to a place on the ray; the last one: more.
struct RayHistogram {
  std::vector<std::size_t> object, background;
};

/// How many masks object to each voxel, at most `most`.
std::vector<std::uint8_t> objections(const BlockGrid& grid, std::span<const MaskView> views, int most, int threads) {
  constexpr float kSlack = 0.3F;  // voxels: thin parts may have no voxel's centre inside
  std::vector<std::uint8_t> counts(grid.active() * kBlockVoxels);
  for_each_voxel(grid, threads, [&](std::size_t index) {
    const Eigen::Vector3f centre = grid.centre(index);
    int count = 0;
    for (const MaskView& view : views) {
      const MaskView::Sight sight = view.see(centre);
      count += static_cast<int>(sight.pixel == 0 || sight.distance * sight.pixel < -kSlack * grid.voxel());
      if (count == most) break;
    }
    counts[index] = static_cast<std::uint8_t>(count);
  });
  return counts;
}

/// Pixels near the mask's boundary are left out, because voxels are coarse.
RayHistogram coverage_histogram(const BlockGrid& grid, const std::vector<std::uint8_t>& counts, const MaskView& view,
                                int most) {
  constexpr int kStride = 2;  // pixels
  const float pixel = view.see((grid.lower() + grid.upper()) / 2).pixel;
  const float near = pixel > 0 ? grid.voxel() / pixel : 0;
  RayHistogram found{std::vector<std::size_t>(static_cast<std::size_t>(most) + 1),
                     std::vector<std::size_t>(static_cast<std::size_t>(most) + 1)};
  for (int row = 0; row < view.width; row += kStride) {
    for (int column = 0; column < view.width; column += kStride) {
      if (std::fabs(view.distance(row, column)) < near || !view.is_known(row, column)) continue;
      int least = most;
      walk(grid, GridRay(grid, view.float_camera().centre, view.ray(row, column)),
           [&](std::int32_t slot, const Eigen::Vector3i& voxel) {
             const std::size_t index = BlockGrid::index_of(slot, voxel);
             least = std::min(least, static_cast<int>(counts[index]));
             return least == 0;
           });
      ++(view.is_object(row, column) ? found.object : found.background)[static_cast<std::size_t>(least)];
    }
  }
  return found;
}

}  // namespace

int most_allowance(std::size_t masks) { return static_cast<int>(std::min<std::size_t>((masks + 6) / 12, 30)); }

int best_allowance(std::span<const MaskView> views, const Box& box, int threads) {
  constexpr int kAlong = 12;  // blocks of the longest side
  const int most = most_allowance(views.size());
  if (most == 0) return 0;
  const Eigen::Vector3f size = box.upper - box.lower;
  const float block = size.maxCoeff() / kAlong;
  const BlockGrid grid(box.lower, block / kBlockSide, (size / block).array().ceil().cast<int>().cwiseMax(1));
  const std::vector<std::uint8_t> counts = objections(grid, views, most + 1, threads);
  std::vector<RayHistogram> histograms(views.size());
  for_each_task(views.size(), threads,
                [&](std::size_t i) { histograms[i] = coverage_histogram(grid, counts, views[i], most + 1); });
  std::vector<double> overlaps(static_cast<std::size_t>(most) + 1);
  for (const RayHistogram& histogram : histograms) {
    std::size_t object = 0, both = 0, beyond = 0;
    for (const std::size_t count : histogram.object) object += count;
    for (std::size_t k = 0; k < overlaps.size(); ++k) {
      both += histogram.object[k];
      beyond += histogram.background[k];
      overlaps[k] +=
          static_cast<double>(both) / static_cast<double>(object + beyond) / static_cast<double>(views.size());
    }
  }
  return static_cast<int>(std::ranges::max_element(overlaps) - overlaps.begin());
}

}  // namespace p2mpp
