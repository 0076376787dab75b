#include "surface/depth_maps.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/parallel.h"
#include "geometry/rigid3.h"
#include "surface/block_grid.h"
#include "surface/hull_votes.h"
#include "surface/plane_sweep.h"
#include "surface/ray_walk.h"

namespace p2mpp {
namespace {

constexpr int kUsualSize = 160;  ///< pixels of a side, to twice of which masks are reduced
constexpr std::size_t kMostMaps = 24;
constexpr std::size_t kOthers = 4;                          ///< pictures with which one is compared
constexpr float kLeastAngle = 0.12F, kLargestAngle = 0.8F;  ///< radians between two directions to the object
constexpr int kFewestConfirming = 2;                        ///< other maps that have the same surface
constexpr float kSame = 1.5F;                               ///< steps between two planes

Picture picture_of(const FitMask& mask) {
  constexpr std::uint8_t kCovered = 200;
  const int factor = std::max(1, mask.width / kUsualSize);
  Picture picture;
  picture.size = mask.width / factor;
  for (int row = 0; row < picture.size; ++row) {
    for (int column = 0; column < picture.size; ++column) {
      float sum = 0;
      for (int k = 0; k < factor * factor; ++k) {
        const auto at =
            static_cast<std::size_t>((row * factor + k / factor) * mask.width + column * factor + k % factor);
        sum += mask.coverage[at] >= kCovered ? static_cast<float>(mask.brightness[at]) : kUnknown;
      }
      picture.brightness.push_back(sum / static_cast<float>(factor * factor));
    }
  }
  const Rigid3 pose = flip_y_and_z(cam_from_world(mask.camera));
  picture.rotation = pose.rotation.cast<float>();
  picture.translation = pose.translation.cast<float>();
  picture.centre = mask.camera.origin.cast<float>();
  const double scale = mask.width / kImageSize / factor;
  const Intrinsics& seen = mask.camera.intrinsics;
  picture.focal = Eigen::Vector2d(scale * seen.fx, scale * seen.fy).cast<float>();
  picture.middle = Eigen::Vector2d(scale * seen.cx, scale * seen.cy).cast<float>();
  return picture;
}

/// Those that differ least in direction, but enough.
std::vector<const Picture*> others_of(const std::vector<Picture>& pictures, std::size_t which,
                                      const Eigen::Vector3f& middle) {
  std::vector<std::pair<float, const Picture*>> found;
  const Eigen::Vector3f own = (pictures[which].centre - middle).normalized();
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const float angle = std::acos(std::clamp(own.dot((pictures[i].centre - middle).normalized()), -1.0F, 1.0F));
    if (i != which && angle >= kLeastAngle && angle <= kLargestAngle) found.emplace_back(angle, &pictures[i]);
  }
  std::ranges::stable_sort(found, {}, [](const auto& each) { return each.first; });
  found.resize(std::min(found.size(), kOthers));
  std::vector<const Picture*> others;
  for (const auto& [angle, picture] : found) others.push_back(picture);
  return others;
}

/// Where a pixel's ray is in the hull.
std::vector<DepthRange> ranges_of(const Picture& picture, const BlockGrid& grid, const std::vector<float>& hull) {
  constexpr float kSlack = 0.6F;  // voxels
  std::vector<DepthRange> ranges(picture.brightness.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (std::isnan(picture.brightness[i])) continue;
    const auto row = static_cast<float>(i / static_cast<std::size_t>(picture.size)),
               column = static_cast<float>(i % static_cast<std::size_t>(picture.size));
    const Eigen::Vector3f way((column + 0.5F - picture.middle.x()) / picture.focal.x(),
                              (row + 0.5F - picture.middle.y()) / picture.focal.y(), 1);
    const GridRay ray(grid, picture.centre, picture.rotation.transpose() * way);
    walk(grid, ray, [&](std::int32_t slot, const Eigen::Vector3i& voxel) {
      if (hull[static_cast<std::size_t>(slot) * kBlockVoxels + BlockGrid::within(voxel)] < -kSlack * grid.voxel()) {
        return false;
      }
      const Eigen::Vector3f centre =
          grid.lower() + grid.voxel() * (voxel.cast<float>() + Eigen::Vector3f::Constant(0.5F));
      const float depth = (picture.rotation * centre + picture.translation).z();
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
  const Picture& own = maps[which].picture;
  const float depth = maps[which].depths[pixel];
  const auto side = static_cast<std::size_t>(own.size);
  const Eigen::Vector3f seen((static_cast<float>(pixel % side) + 0.5F - own.middle.x()) / own.focal.x() * depth,
                             (static_cast<float>(pixel / side) + 0.5F - own.middle.y()) / own.focal.y() * depth, depth);
  const Eigen::Vector3f point = own.rotation.transpose() * (seen - own.translation);
  int confirming = 0;
  for (std::size_t i = 0; i < maps.size() && confirming < kFewestConfirming; ++i) {
    if (i == which) continue;
    const float other = depth_at(maps[i], point);
    const float expected = maps[i].picture.project(point).z();
    confirming += std::fabs(1 / other - 1 / expected) <= kSame * steps[i] ? 1 : 0;  // false for NaN
  }
  return confirming == kFewestConfirming;
}

/// Removes depths that only a small patch of the map has. Highlights are such patches, at depths behind the surface.
void remove_patches(DepthMap& map, float step) {
  constexpr std::size_t kFewest = 120;  // pixels; a bright point alone has 49
  const auto side = static_cast<std::size_t>(map.picture.size);
  std::vector<float>& depths = map.depths;
  std::vector<std::uint8_t> is_reached(depths.size());
  std::vector<std::size_t> patch;
  const auto reach = [&](std::size_t from, std::size_t to) {
    if (is_reached[to] != 0 || !(std::fabs(1 / depths[from] - 1 / depths[to]) <= kSame * step)) return;
    is_reached[to] = 1;
    patch.push_back(to);
  };
  for (std::size_t start = 0; start < depths.size(); ++start) {
    if (is_reached[start] != 0 || std::isnan(depths[start])) continue;
    is_reached[start] = 1;
    patch = {start};
    for (std::size_t i = 0; i < patch.size(); ++i) {
      const std::size_t at = patch[i], column = at % side;
      if (column > 0) reach(at, at - 1);
      if (column + 1 < side) reach(at, at + 1);
      if (at >= side) reach(at, at - side);
      if (at + side < depths.size()) reach(at, at + side);
    }
    if (patch.size() >= kFewest) continue;
    for (const std::size_t at : patch) depths[at] = kUnknown;
  }
}

}  // namespace

float depth_at(const DepthMap& map, const Eigen::Vector3f& point) {
  const Eigen::Vector3f pixel = map.picture.project(point);
  const auto limit = static_cast<float>(map.picture.size);
  if (!(pixel.z() > 0 && pixel.x() >= 0 && pixel.y() >= 0 && pixel.x() < limit && pixel.y() < limit)) return kUnknown;
  return map.depths[static_cast<std::size_t>(pixel.y()) * static_cast<std::size_t>(map.picture.size) +
                    static_cast<std::size_t>(pixel.x())];
}

std::vector<DepthMap> depth_maps(std::span<const FitMask> masks, std::span<const MaskCone> cones, int allowance,
                                 const Box& box, int threads) {
  constexpr int kBlocks = 8;  // along the longest side of the box
  std::vector<Picture> pictures;
  for (const FitMask& mask : masks) {
    if (!mask.brightness.empty()) pictures.push_back(picture_of(mask));
  }
  if (pictures.size() < kFewestPictures) return {};
  const Eigen::Vector3f size = box.upper - box.lower;
  const float block = size.maxCoeff() / kBlocks;
  const BlockGrid grid(box.lower, block / kBlockSide, (size / block).array().ceil().cast<int>().cwiseMax(1));
  const std::vector<float> hull = HullVotes(cones, allowance).distances(grid, threads);
  const std::size_t count = std::min(pictures.size(), kMostMaps);
  std::vector<DepthMap> maps(count);
  std::vector<float> steps(count);
  for_each_task(count, threads, [&](std::size_t i) {
    const std::size_t which = i * pictures.size() / count;
    const Picture& picture = pictures[which];
    const std::vector<const Picture*> others = others_of(pictures, which, (box.lower + box.upper) / 2);
    maps[i].picture = picture;
    maps[i].picture.brightness.clear();
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
    const float behind = (map.picture.project(point).z() - depth_at(map, point)) / band;
    if (!(behind < kBehind)) continue;  // or not a number
    votes.sum += std::clamp(-behind, -1.0F, 1.0F);
    votes.count += 1;
  }
  return votes;
}

}  // namespace p2mpp
