#include "surface/learned_solid.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/parallel.h"
#include "geometry/connected_parts.h"
#include "hull/hull_votes.h"
#include "surface/missing_surface.h"

namespace p2mpp {
namespace {

constexpr float kFar = 5;     // voxels: that much of the distances is smoothed
constexpr float kClosed = 3;  // voxels: the radius of a closing

/// All blocks are active.
BlockGrid grid_over(const DistanceField& learned, float voxel) {
  const Eigen::AlignedBox3d in_frame(learned.grid.lower, learned.grid.upper());
  const Eigen::AlignedBox3f box =
      in_frame.transformed(Eigen::Isometry3d(learned.frame_from_world.transpose())).cast<float>();
  return {box.min(), voxel, (box.sizes() / (voxel * kBlockSide)).array().ceil().cast<int>()};
}

/// In voxels, positive outside. The network's noise has the size of its fine voxels. What is thin stays as it is: it
/// would vanish.
std::vector<float> smooth_distances(const BlockGrid& grid, const DistanceField& learned, int threads) {
  constexpr std::array<float, 5> kGaussian = {0.05449F, 0.24420F, 0.40262F, 0.24420F, 0.05449F};  // deviation 1
  constexpr int kReach = 2;
  constexpr float kThin = 1, kThick = 2;  // voxels: the largest depth around
  std::vector<float> raw(grid.active() * kBlockVoxels), smooth(raw.size());
  for_each_voxel(grid, threads, [&](std::size_t i) { raw[i] = learned.at(grid.centre(i)).distance / grid.voxel(); });
  for_each_task(grid.active(), threads, [&](std::size_t slot) {
    BlockSurroundings around(kReach);
    around.gather(grid, raw, slot, kFar, -kFar);
    BlockSurroundings filtered = around;
    filtered.filter(kGaussian);
    for (std::size_t i = 0; i < kBlockVoxels; ++i) {
      const std::size_t at = slot * kBlockVoxels + i;
      smooth[at] = raw[at];
      if (std::fabs(raw[at]) > kFar) continue;
      const auto voxel = static_cast<int>(i);
      float depth = 0;
      for (int z = -kReach; z <= kReach; ++z) {
        for (int y = -kReach; y <= kReach; ++y) {
          for (int x = -kReach; x <= kReach; ++x) {
            depth = std::max(depth, -around.at((voxel & 7) + x, (voxel >> 3 & 7) + y, (voxel >> 6) + z));
          }
        }
      }
      const float share = std::clamp((depth - kThin) / (kThick - kThin), 0.0F, 1.0F);
      smooth[at] += share * (filtered.at(i) - raw[at]);
    }
  });
  return smooth;
}

/// The least or the greatest of each voxel's neighbours, within kClosed.
template <class Pick>
std::vector<float> extremes(const BlockGrid& grid, const std::vector<float>& distances, const Pick& pick, int threads) {
  constexpr int kReach = static_cast<int>(kClosed);
  std::vector<float> found = distances;
  for_each_task(grid.active(), threads, [&](std::size_t slot) {
    BlockSurroundings around(kReach);
    around.gather(grid, distances, slot, kFar, -kFar);
    for (std::size_t i = 0; i < kBlockVoxels; ++i) {
      float& own = found[slot * kBlockVoxels + i];
      if (std::fabs(own) > kFar) continue;
      const auto voxel = static_cast<int>(i);
      for (int z = -kReach; z <= kReach; ++z) {
        for (int y = -kReach; y <= kReach; ++y) {
          for (int x = -kReach; x <= kReach; ++x) {
            if (static_cast<float>(x * x + y * y + z * z) > kClosed * kClosed) continue;
            own = pick(own, around.at((voxel & 7) + x, (voxel >> 3 & 7) + y, (voxel >> 6) + z));
          }
        }
      }
    }
  });
  return found;
}

/// Fills the pinholes of thin walls, which remeshing would widen: a closing by a ball. hull: positive inside. What a
/// mask shows as empty stays so.
std::vector<float> closed(const BlockGrid& grid, std::vector<float> distances, std::span<const float> hull,
                          int threads) {
  const auto least = [](float a, float b) { return std::min(a, b); };
  const auto greatest = [](float a, float b) { return std::max(a, b); };
  const std::vector<float> filled = extremes(grid, extremes(grid, distances, least, threads), greatest, threads);
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (hull[i] > 0) distances[i] = std::min(distances[i], filled[i]);
  }
  return distances;
}

/// Makes voxels that are required the object's, with what is between them and the solid. In voxels: distances, positive
/// outside, and the field, positive inside.
void add_required(const BlockGrid& grid, std::span<const float> distances, std::span<const std::uint8_t> required,
                  std::vector<float>& field) {
  for (std::size_t i = 0; i < required.size(); ++i) {
    if (required[i] == 0) continue;
    const auto reach = static_cast<int>(kMissingRadius + std::max(distances[i], 0.0F));
    for_each_voxel_around(grid, grid.voxel_at(i), reach, [&](std::size_t at, const Eigen::Vector3i& away) {
      const float way = away.cast<float>().norm(), rest = std::max(distances[at], 0.0F);
      // How far beside the shortest way to the solid, by the detour over this place.
      const float detour = std::max(way + rest - distances[i], 0.0F);
      const float beside = way > 0 && rest > 0 ? std::sqrt(2 * detour * way * rest / (way + rest)) : 0;
      field[at] = std::max({field[at], kMissingRadius - std::max(beside, way - distances[i]), kMissingRadius - way});
    });
  }
}

/// Connected parts of the field without a voxel that the network calls the object are ghosts of the masks' hull.
void drop_parts_of_rays_alone(const BlockGrid& grid, std::span<const float> distances, std::vector<float>& field) {
  const auto for_each_neighbour = [&](std::size_t i, const auto& visit) {
    const Eigen::Vector3i voxel = grid.voxel_at(i);
    for (int axis = 0; axis < 3; ++axis) {
      const Eigen::Vector3i before = voxel - Eigen::Vector3i::Unit(axis);
      if (before[axis] >= 0) visit(BlockGrid::index_of(grid.slot(before / kBlockSide), before));
    }
  };
  const auto is_solid = [&](std::size_t i) { return field[i] > 0; };
  const auto is_of_network = [&](std::size_t i) { return distances[i] < 0; };
  ConnectedParts parts(field.size(), is_solid, for_each_neighbour);
  for (const std::size_t i : parts.without(is_of_network)) {
    field[i] = -distances[i];
  }
}

}  // namespace

SolidField learned_solid(const DistanceField& learned, std::span<const MaskView> views, int allowance, float voxel,
                         int threads) {
  constexpr float kFarthest = 10;  // voxels: farther from the network's solid, a pixel is the mask's fault
  SolidField found{grid_over(learned, voxel), {}};
  const BlockGrid& grid = found.grid;
  const std::vector<float> hull = HullVotes(views, allowance).distances(grid, threads);
  const std::vector<float> distances = closed(grid, smooth_distances(grid, learned, threads), hull, threads);
  std::vector<std::uint8_t> usable(distances.size());
  for (std::size_t i = 0; i < distances.size(); ++i) {
    usable[i] = hull[i] > -grid.voxel() && distances[i] < kFarthest ? 1 : 0;
  }
  found.values.resize(distances.size());
  std::ranges::transform(distances, found.values.begin(), std::negate());
  const std::vector<std::uint8_t> missing = missing_surface(grid, views, {distances, usable}, threads);
  add_required(grid, distances, missing, found.values);
  drop_parts_of_rays_alone(grid, distances, found.values);
  for (float& value : found.values) value = std::clamp(value, -1.0F, 1.0F);
  return found;
}

}  // namespace p2mpp
