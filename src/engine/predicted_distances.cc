#include "engine/predicted_distances.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "backends/common/preprocess.h"
#include "backends/common/resize.h"
#include "geometry/connected_parts.h"
#include "model/distance_weights.h"

namespace p2mpp {
namespace {

constexpr int kSide = kResizedSide;
constexpr double kMargin = 0.04;  ///< of a box's longest side, on each side

/// The box around marked voxels, in voxels.
struct MarkedBox {
  Eigen::Vector3i first, last;  ///< inclusive
};

template <typename IsMarked>
std::optional<MarkedBox> marked_box(const Eigen::Vector3i& counts, const IsMarked& is_marked) {
  MarkedBox box{counts, -Eigen::Vector3i::Ones()};
  std::size_t voxel = 0;
  Eigen::Vector3i at;
  for (at.x() = 0; at.x() < counts.x(); ++at.x()) {
    for (at.y() = 0; at.y() < counts.y(); ++at.y()) {
      for (at.z() = 0; at.z() < counts.z(); ++at.z(), ++voxel) {
        if (!is_marked(voxel, at)) continue;
        box.first = box.first.cwiseMin(at);
        box.last = box.last.cwiseMax(at);
      }
    }
  }
  return box.last.x() < 0 ? std::nullopt : std::optional(box);
}

/// Each pixel's largest mask within a few pixels, so that thin parts count at the cells' centres beside them.
std::vector<float> widened(std::span<const float> mask) {
  constexpr int kReach = 3;
  const auto along = [](std::span<const float> from, int step, int across) {
    std::vector<float> to(from.size());
    for (int line = 0; line < kSide; ++line) {
      for (int i = 0; i < kSide; ++i) {
        float most = 0;
        for (int j = std::max(i - kReach, 0); j <= std::min(i + kReach, kSide - 1); ++j) {
          most = std::max(most, from[static_cast<std::size_t>(line * across + j * step)]);
        }
        to[static_cast<std::size_t>(line * across + i * step)] = most;
      }
    }
    return to;
  };
  return along(along(mask, 1, kSide), kSide, 1);
}

/// The cells of a cube around the origin that the masks allow.
std::optional<MarkedBox> cells_of_hull(const DistanceViews& views, const VoxelGrid& cube) {
  constexpr std::size_t kPlane = std::size_t{kSide} * kSide;
  constexpr std::size_t kViewsThatMayMiss = 4;  // with so many, one may miss a part of the object
  std::vector<std::vector<float>> wide;
  for (std::size_t view = 0; view < views.cameras.size(); ++view) {
    wide.push_back(widened(std::span(views.images).subspan((4 * view + 3) * kPlane, kPlane)));
  }
  const int may_miss = views.cameras.size() >= kViewsThatMayMiss ? 1 : 0;
  return marked_box(cube.counts, [&](std::size_t, const Eigen::Vector3i& at) {
    const Eigen::Vector3d point = cube.centre(at);
    int missed = 0;
    for (std::size_t view = 0; view < wide.size() && missed <= may_miss; ++view) {
      const Camera& camera = views.cameras[view];
      const Eigen::Vector3d seen = camera.cam_from_world(point);
      const auto row = static_cast<float>(camera.intrinsics.fy * (-seen.y() / -seen.z()) + camera.intrinsics.cy);
      const auto column = static_cast<float>(camera.intrinsics.fx * (seen.x() / -seen.z()) + camera.intrinsics.cx);
      const bool is_in = row >= 0 && row < kSide && column >= 0 && column < kSide;
      if (!is_in || wide[view][static_cast<std::size_t>(row) * kSide + static_cast<std::size_t>(column)] < 0.5F) {
        ++missed;
      }
    }
    return missed <= may_miss;
  });
}

}  // namespace

Eigen::Matrix3d upright_frame(const Eigen::Matrix3d& cam_from_world) {
  const Eigen::Vector3d level(1, 0, 1);
  Eigen::Vector3d ahead = cam_from_world.row(2).transpose().cwiseProduct(level);
  if (ahead.norm() < 1e-3) {  // it looks straight down or up
    const double sign = cam_from_world(2, 1) > 0 ? 1 : -1;
    ahead = -sign * cam_from_world.row(1).transpose().cwiseProduct(level);
  }
  const Eigen::Vector3d z = ahead.normalized(), up = Eigen::Vector3d::UnitY();
  Eigen::Matrix3d rotation;
  rotation << up.cross(z).transpose(), up.transpose(), z.transpose();
  return rotation;
}

VoxelGrid grid_over(const Eigen::Vector3d& lower, const Eigen::Vector3d& upper, int voxels) {
  constexpr int kLongest = 48, kMultiple = 4;  // voxels; the network halves the grid twice
  const Eigen::Vector3d sides = upper - lower;
  double voxel = std::max(std::cbrt(sides.prod() / voxels), sides.maxCoeff() / kLongest);
  for (;; voxel *= 1.01) {
    const Eigen::Vector3i counts = kMultiple * ((sides / voxel / kMultiple).array() - 1e-9).ceil().cast<int>().matrix();
    if (counts.prod() <= voxels && counts.maxCoeff() <= kLongest) {
      return {(lower + upper) / 2 - voxel * counts.cast<double>() / 2, voxel, counts};
    }
  }
}

VoxelGrid hull_grid(const DistanceViews& views, int voxels) {
  constexpr int kCells = 48;
  constexpr double kHalf = 0.33;  // as in training: few masks allow much behind the object
  const VoxelGrid cube{Eigen::Vector3d::Constant(-kHalf), 2 * kHalf / kCells, Eigen::Vector3i::Constant(kCells)};
  const std::optional<MarkedBox> box = cells_of_hull(views, cube);
  if (!box) return grid_over(cube.lower, cube.upper(), voxels);
  const Eigen::Vector3d lower = cube.lower + cube.voxel * box->first.cast<double>();
  const Eigen::Vector3d upper = cube.lower + cube.voxel * (box->last.cast<double>().array() + 1).matrix();
  const Eigen::Vector3d margin = Eigen::Vector3d::Constant(kMargin * (upper - lower).maxCoeff());
  return grid_over(lower - margin, upper + margin, voxels);
}

void drop_ghosts(const VoxelGrid& grid, const DistanceField& prior, double near, std::span<float> distances) {
  const auto y = static_cast<std::size_t>(grid.counts.y()), z = static_cast<std::size_t>(grid.counts.z());
  const std::array<std::size_t, 3> steps = {y * z, z, 1};
  const auto for_each_before = [&](std::size_t voxel, const auto& visit) {
    const Eigen::Vector3i place = grid.place_of(voxel);
    for (int axis = 0; axis < 3; ++axis) {
      if (place[axis] > 0) visit(voxel - steps[static_cast<std::size_t>(axis)]);
    }
  };
  const auto is_near = [&](std::size_t voxel) {
    return prior.at(grid.centre(voxel).cast<float>()).distance < static_cast<float>(near);
  };
  const auto is_inside = [&](std::size_t voxel) { return distances[voxel] < 0; };
  ConnectedParts parts(distances.size(), is_inside, for_each_before);
  for (const std::size_t voxel : parts.without(is_near)) {
    distances[voxel] = -distances[voxel];
  }
}

VoxelGrid tightened(const VoxelGrid& grid, std::span<const float> distances, int voxels) {
  constexpr float kNearObject = 0.5F;  // coarse voxels
  const std::optional<MarkedBox> box = marked_box(grid.counts, [&](std::size_t voxel, const Eigen::Vector3i&) {
    return distances[voxel] * static_cast<float>(kDistanceUnit) < kNearObject;
  });
  if (!box) return grid;
  const Eigen::Vector3d lower = grid.lower + grid.voxel * box->first.cast<double>();
  const Eigen::Vector3d upper = grid.lower + grid.voxel * (box->last.cast<double>().array() + 1).matrix();
  const Eigen::Vector3d margin = Eigen::Vector3d::Constant(kMargin * (upper - lower).maxCoeff());
  return grid_over((lower - margin).cwiseMax(grid.lower), (upper + margin).cwiseMin(grid.upper()), voxels);
}

namespace {

DistanceViews views_in(const Eigen::Matrix3d& frame_from_world, const Sample& sample) {
  constexpr ImageRules kRules{.alpha = AlphaRule::kBlendOnWhite, .channels = 4};
  constexpr std::size_t kPlanes = std::size_t{4} * kResizedSide * kResizedSide;
  DistanceViews views;
  views.images.resize(sample.views.size() * kPlanes);
  for (std::size_t i = 0; i < sample.views.size(); ++i) {
    const View& view = sample.views[i];
    preprocess(view.image, kRules, std::span(views.images).subspan(i * kPlanes, kPlanes));
    Camera camera = view.camera;
    camera.rotation = camera.rotation * frame_from_world.transpose();
    camera.origin = frame_from_world * camera.origin;
    views.cameras.push_back(camera);
  }
  return views;
}

}  // namespace

DistanceField predicted_distances(DistanceNetwork& network, const Sample& sample, const TriangleMesh& refined,
                                  int threads) {
  constexpr float kLeastLogError = -5, kMostLogError = 2;  // as in training
  // Thin parts weigh more in training, so unsure distances are too small: by this share of an error of at most so much.
  constexpr float kThinShare = 0.35F, kMostUnsure = 0.12F;
  const Eigen::Matrix3d frame_from_world = upright_frame(sample.views.front().camera.rotation);
  DistanceViews views = views_in(frame_from_world, sample);
  views.prior = distances_to_mesh(refined, kPriorHalf, kPriorVoxels, threads);
  views.prior.frame_from_world = frame_from_world.transpose();
  network.set_views(views);
  const VoxelGrid first = hull_grid(views, kCoarseVoxels / 2);
  const VoxelGrid grid = tightened(first, network.coarse(first).distances, kCoarseVoxels);
  NetworkDistances found = network.fine(grid, kFineFactor);
  std::vector<float> errors = std::move(found.log_errors);
  for (float& error : errors) error = std::exp(std::clamp(error, kLeastLogError, kMostLogError));
  for (std::size_t i = 0; i < errors.size(); ++i) found.distances[i] += kThinShare * std::min(errors[i], kMostUnsure);
  drop_ghosts(grid.refined(kFineFactor), views.prior, grid.voxel / 2, found.distances);
  const auto unit = static_cast<float>(kDistanceUnit * grid.voxel);
  for (float& distance : found.distances) distance *= unit;
  for (float& error : errors) error *= unit;
  return {grid.refined(kFineFactor), frame_from_world, std::move(found.distances), std::move(errors)};
}

}  // namespace p2mpp
