#include "surface/depth_maps.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/parallel.h"
#include "geometry/connected_parts.h"
#include "hull/block_grid.h"
#include "hull/hull_votes.h"
#include "hull/ray_walk.h"
#include "surface/plane_sweep.h"

namespace p2mpp {
namespace {

constexpr int kUsualSize = 160;  ///< pixels of a side, to twice of which masks are reduced
constexpr std::size_t kMostMaps = 24;
constexpr std::size_t kOthers = 4;    ///< pictures with which one is compared
constexpr int kFewestConfirming = 2;  ///< other maps that have the same surface
constexpr float kSame = 1.5F;         ///< steps between two planes

/// Where a pixel's ray is in the hull.
std::vector<DepthRange> ranges_of(const ReducedView& view, const BlockGrid& grid, const std::vector<float>& hull) {
  constexpr float kSlack = 0.6F;  // voxels
  std::vector<DepthRange> ranges(view.brightness.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (std::isnan(view.brightness[i])) continue;
    const auto row = static_cast<float>(i / static_cast<std::size_t>(view.size)),
               column = static_cast<float>(i % static_cast<std::size_t>(view.size));
    const GridRay ray(grid, view.camera.centre, view.camera.ray(column + 0.5F, row + 0.5F));
    walk(grid, ray, [&](std::int32_t slot, const Eigen::Vector3i& voxel) {
      if (hull[BlockGrid::index_of(slot, voxel)] < -kSlack * grid.voxel()) {
        return false;
      }
      const Eigen::Vector3f centre =
          grid.lower() + grid.voxel() * (voxel.cast<float>() + Eigen::Vector3f::Constant(0.5F));
      const float depth = view.camera.cam_from_world(centre).z();
      if (ranges[i].nearest > ranges[i].farthest) ranges[i].nearest = depth - grid.voxel();
      ranges[i].farthest = depth + grid.voxel();
      return false;
    });
  }
  return ranges;
}

/// Whether enough other maps have the surface where a pixel has it.
bool is_confirmed(const std::vector<DepthMap>& maps, std::size_t which, std::size_t pixel,
                  const std::vector<float>& steps) {
  const Eigen::Vector3f point = place_at(maps[which], pixel);
  int confirming = 0;
  for (std::size_t i = 0; i < maps.size() && confirming < kFewestConfirming; ++i) {
    if (i == which) continue;
    const float other = depth_at(maps[i], point);
    const float expected = maps[i].camera.cam_from_world(point).z();
    confirming += std::fabs(1 / other - 1 / expected) <= kSame * steps[i] ? 1 : 0;  // false for NaN
  }
  return confirming == kFewestConfirming;
}

/// Removes depths that only a small patch of the map has. Highlights are such patches, at depths behind the surface.
void remove_patches(DepthMap& map, float step) {
  constexpr std::size_t kFewest = 120;  // pixels; a bright point alone has 49
  std::vector<float>& depths = map.depths;
  const PixelsBefore before{static_cast<std::size_t>(map.size)};
  ConnectedParts patches(
      depths.size(), [&](std::size_t pixel) { return !std::isnan(depths[pixel]); },
      [&](std::size_t pixel, const auto& visit) {
        before(pixel, [&](std::size_t other) {
          if (std::fabs(1 / depths[pixel] - 1 / depths[other]) <= kSame * step) visit(other);
        });
      });
  for (const std::size_t pixel : patches.smaller_than(kFewest)) depths[pixel] = kUnknown;
}

}  // namespace

float depth_at(const DepthMap& map, const Eigen::Vector3f& point) {
  const Eigen::Vector3f seen = map.camera.cam_from_world(point);
  const Eigen::Vector2f pixel = map.camera.pixel_of(seen);
  const auto limit = static_cast<float>(map.size);
  if (!(seen.z() > 0 && pixel.x() >= 0 && pixel.y() >= 0 && pixel.x() < limit && pixel.y() < limit)) return kUnknown;
  return map.depths[static_cast<std::size_t>(pixel.y()) * static_cast<std::size_t>(map.size) +
                    static_cast<std::size_t>(pixel.x())];
}

Eigen::Vector3f place_at(const DepthMap& map, std::size_t pixel) {
  const auto side = static_cast<std::size_t>(map.size);
  const Eigen::Vector3f seen = map.depths[pixel] * map.camera.ray_in_cam(static_cast<float>(pixel % side) + 0.5F,
                                                                         static_cast<float>(pixel / side) + 0.5F);
  return map.camera.rotation.transpose() * (seen - map.camera.translation);
}

std::vector<DepthMap> depth_maps(std::span<const MaskView> views, int allowance, const Box& box, int threads) {
  constexpr int kBlocks = 8;  // along the longest side of the box
  std::vector<ReducedView> pictures;
  for (const MaskView& view : views) {
    if (!view.brightness.empty()) pictures.push_back(reduced(view, std::max(1, view.width / kUsualSize)));
  }
  if (pictures.size() < kFewestPictures) return {};
  const Eigen::Vector3f size = box.upper - box.lower;
  const float block = size.maxCoeff() / kBlocks;
  const BlockGrid grid(box.lower, block / kBlockSide, (size / block).array().ceil().cast<int>().cwiseMax(1));
  const std::vector<float> hull = HullVotes(views, allowance).distances(grid, threads);
  const std::size_t count = std::min(pictures.size(), kMostMaps);
  std::vector<Eigen::Vector3f> centres;
  for (const ReducedView& picture : pictures) centres.push_back(picture.camera.centre);
  std::vector<DepthMap> maps(count);
  std::vector<float> steps(count);
  for_each_task(count, threads, [&](std::size_t i) {
    const std::size_t which = i * pictures.size() / count;
    const ReducedView& picture = pictures[which];
    std::vector<const ReducedView*> others;
    for (const std::size_t other : views_beside(centres, which, (box.lower + box.upper) / 2, kOthers)) {
      others.push_back(&pictures[other]);
    }
    maps[i] = {picture.camera, picture.size, {}};
    maps[i].depths = sweep_planes(picture, others, ranges_of(picture, grid, hull), steps[i]);
  });
  std::vector<std::vector<float>> confirmed(count);
  for_each_task(count, threads, [&](std::size_t i) {
    confirmed[i] = maps[i].depths;
    for (std::size_t pixel = 0; pixel < confirmed[i].size(); ++pixel) {
      if (!std::isnan(confirmed[i][pixel]) && !is_confirmed(maps, i, pixel, steps)) confirmed[i][pixel] = kUnknown;
    }
  });
  for_each_task(count, threads, [&](std::size_t i) {
    maps[i].depths = std::move(confirmed[i]);
    remove_patches(maps[i], steps[i]);
  });
  return maps;
}

SurfaceVotes votes_at(std::span<const DepthMap> maps, const Eigen::Vector3f& point, float band) {
  constexpr float kBehind = 3;  // bands behind the surface that are the object's
  SurfaceVotes votes;
  for (const DepthMap& map : maps) {
    const float behind = (map.camera.cam_from_world(point).z() - depth_at(map, point)) / band;
    if (!(behind < kBehind)) continue;  // or not a number
    votes.sum += std::clamp(-behind, -1.0F, 1.0F);
    votes.count += 1;
  }
  return votes;
}

}  // namespace p2mpp
