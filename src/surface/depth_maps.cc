#include "surface/depth_maps.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "base/numbers/patch_sums.h"
#include "base/parallel.h"
#include "geometry/connected_parts.h"
#include "hull/block_grid.h"
#include "hull/hull_votes.h"
#include "hull/ray_walk.h"

namespace p2mpp {
namespace {

/// The depths along a pixel's ray between which the object may be; nearest > farthest: nowhere.
struct DepthRange {
  float nearest = 1, farthest = 0;
};

constexpr int kPatchReach = 3;         ///< pixels from a patch's middle to its side
constexpr float kFewestPixels = 30;    ///< of 49 that both pictures show
constexpr float kLeastContrast = 2;    ///< of a patch, standard deviation of its brightness
constexpr float kLeastScore = 0.7F;    ///< mean correlation with the two pictures that agree best
constexpr float kClearlyLess = 0.05F;  ///< by which all other planes must be worse
constexpr int kOfOnePeak = 3;          ///< planes that belong to one peak
constexpr int kMostPlanes = 160;

/// Rows and columns of a picture; the last ones are excluded.
struct Window {
  int top = 0, left = 0, bottom = 0, right = 0;

  [[nodiscard]] bool is_empty() const { return top >= bottom || left >= right; }
  [[nodiscard]] std::size_t width() const { return static_cast<std::size_t>(right - left); }
  [[nodiscard]] std::size_t height() const { return static_cast<std::size_t>(bottom - top); }
  void add(int row, int column) {
    if (is_empty()) *this = {row, column, row + 1, column + 1};
    top = std::min(top, row);
    left = std::min(left, column);
    bottom = std::max(bottom, row + 1);
    right = std::max(right, column + 1);
  }
  [[nodiscard]] Window grown(int by, int size) const {
    return {std::max(top - by, 0), std::max(left - by, 0), std::min(bottom + by, size), std::min(right + by, size)};
  }
};

/// The sums of patches: pixels, a, b, aa, bb, ab.
constexpr std::size_t kSums = 6;

float bilinear(const ReducedView& picture, float x, float y) {
  const auto limit = static_cast<float>(picture.size - 1);
  if (!(x >= 0 && y >= 0 && x < limit && y < limit)) return kUnknown;
  const int column = static_cast<int>(x), row = static_cast<int>(y);
  const float right = x - static_cast<float>(column), down = y - static_cast<float>(row);
  const float* upper = &picture.brightness[static_cast<std::size_t>(row * picture.size + column)];
  const float* lower = upper + picture.size;
  const float above = upper[0] + right * (upper[1] - upper[0]), below = lower[0] + right * (lower[1] - lower[0]);
  return above + down * (below - above);
}

class Sweep {
 public:
  Sweep(const ReducedView& picture, std::span<const ReducedView* const> others, std::span<const DepthRange> ranges)
      : picture_(picture), own_(picture.camera), others_(others), ranges_(ranges) {
    find_planes();
  }

  [[nodiscard]] float step() const { return step_; }

  [[nodiscard]] std::vector<float> depths() {
    const auto pixels = static_cast<std::size_t>(picture_.size) * static_cast<std::size_t>(picture_.size);
    std::vector<float> found(pixels, kUnknown);
    if (object_.is_empty() || planes_ < 2 * kOfOnePeak) return found;
    scores_.assign(static_cast<std::size_t>(planes_) * object_.width() * object_.height(), -1);
    for (int plane = 0; plane < planes_; ++plane) score(plane);
    for (int row = object_.top; row < object_.bottom; ++row) {
      for (int column = object_.left; column < object_.right; ++column) {
        found[index(row, column)] = best_depth(row, column);
      }
    }
    return found;
  }

 private:
  [[nodiscard]] std::size_t index(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(picture_.size) + static_cast<std::size_t>(column);
  }
  [[nodiscard]] float nearness(float plane) const { return first_ + plane * step_; }
  [[nodiscard]] float& score_at(int plane, int row, int column) {
    return scores_[(static_cast<std::size_t>(plane) * object_.height() + static_cast<std::size_t>(row - object_.top)) *
                       object_.width() +
                   static_cast<std::size_t>(column - object_.left)];
  }

  /// Planes at equal steps of 1 / depth, between which a point moves by a pixel in one of the others.
  void find_planes() {
    float nearest = std::numeric_limits<float>::max(), farthest = 0;
    for (int row = 0; row < picture_.size; ++row) {
      for (int column = 0; column < picture_.size; ++column) {
        const DepthRange& range = ranges_[index(row, column)];
        if (range.nearest > range.farthest) continue;
        object_.add(row, column);
        nearest = std::min(nearest, range.nearest);
        farthest = std::max(farthest, range.farthest);
      }
    }
    if (object_.is_empty()) return;
    float baseline = 0;
    for (const ReducedView* other : others_) {
      const Eigen::Vector3f way = own_.rotation * (other->camera.centre - own_.centre);
      baseline = std::max(baseline, other->camera.focal.x() * way.norm());
    }
    const float extent = 1 / nearest - 1 / farthest;
    step_ = std::max(1 / baseline, extent / kMostPlanes);
    first_ = 1 / farthest;
    planes_ = static_cast<int>(extent / step_) + 1;
  }

  void score(int plane) {
    const float depth = 1 / nearness(static_cast<float>(plane));
    Window wanted;
    for (int row = object_.top; row < object_.bottom; ++row) {
      for (int column = object_.left; column < object_.right; ++column) {
        const DepthRange& range = ranges_[index(row, column)];
        if (depth >= range.nearest && depth <= range.farthest) wanted.add(row, column);
      }
    }
    if (wanted.is_empty()) return;
    const Window around = wanted.grown(kPatchReach, picture_.size);
    second_.assign(around.width() * around.height(), -1);
    first_best_ = second_;
    for (const ReducedView* other : others_) correlate(*other, depth, around);
    for (int row = wanted.top; row < wanted.bottom; ++row) {
      for (int column = wanted.left; column < wanted.right; ++column) {
        const DepthRange& range = ranges_[index(row, column)];
        if (!(depth >= range.nearest && depth <= range.farthest)) continue;
        const std::size_t at = static_cast<std::size_t>(row - around.top) * around.width() +
                               static_cast<std::size_t>(column - around.left);
        if (second_[at] > -1) score_at(plane, row, column) = (first_best_[at] + second_[at]) / 2;
      }
    }
  }

  /// Correlates the patches of a window, taken as parts of a plane, with those of another picture.
  void correlate(const ReducedView& other, float depth, const Window& window) {
    const Eigen::Matrix3f rotation = other.camera.rotation * own_.rotation.transpose();
    const Eigen::Vector3f translation = other.camera.translation - rotation * own_.translation;
    const std::size_t width = window.width(), height = window.height();
    for (std::vector<float>& sums : sums_) sums.assign(width * height, 0);
    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t x = 0; x < width; ++x) {
        const int row = window.top + static_cast<int>(y), column = window.left + static_cast<int>(x);
        const float a = picture_.brightness[index(row, column)];
        if (std::isnan(a)) continue;
        const Eigen::Vector3f point =
            depth * own_.ray_in_cam(static_cast<float>(column) + 0.5F, static_cast<float>(row) + 0.5F);
        const Eigen::Vector3f seen = rotation * point + translation;
        const Eigen::Vector2f pixel = other.camera.pixel_of(seen);
        const float b = bilinear(other, pixel.x() - 0.5F, pixel.y() - 0.5F);
        if (std::isnan(b)) continue;
        const std::array<float, kSums> terms = {1, a, b, a * a, b * b, a * b};
        for (std::size_t k = 0; k < kSums; ++k) sums_[k][y * width + x] = terms[k];
      }
    }
    for (std::vector<float>& sums : sums_) sum_patches<kPatchReach>(sums, width, height, scratch_);
    constexpr float kLeastVariance = kLeastContrast * kLeastContrast;
    for (std::size_t i = 0; i < width * height; ++i) {
      const float n = sums_[0][i];
      if (n < kFewestPixels) continue;
      const float a = sums_[1][i] / n, b = sums_[2][i] / n;
      const float aa = sums_[3][i] / n - a * a, bb = sums_[4][i] / n - b * b, ab = sums_[5][i] / n - a * b;
      if (!(aa > kLeastVariance && bb > kLeastVariance)) continue;
      const float correlation = ab / std::sqrt(aa * bb);
      second_[i] = std::max(second_[i], std::min(first_best_[i], correlation));
      first_best_[i] = std::max(first_best_[i], correlation);
    }
  }

  [[nodiscard]] float best_depth(int row, int column) {
    int best = 0;
    for (int plane = 1; plane < planes_; ++plane) {
      if (score_at(plane, row, column) > score_at(best, row, column)) best = plane;
    }
    const float most = score_at(best, row, column);
    if (most < kLeastScore || best == 0 || best == planes_ - 1) return kUnknown;
    for (int plane = 0; plane < planes_; ++plane) {
      if (std::abs(plane - best) > kOfOnePeak && score_at(plane, row, column) > most - kClearlyLess) return kUnknown;
    }
    const float before = score_at(best - 1, row, column), after = score_at(best + 1, row, column);
    const float bend = 2 * most - before - after;
    const float shift = bend > 1e-4F ? std::clamp(0.5F * (after - before) / bend, -0.5F, 0.5F) : 0;
    return 1 / nearness(static_cast<float>(best) + shift);
  }

  const ReducedView& picture_;
  const Pinhole<float>& own_;
  std::span<const ReducedView* const> others_;
  std::span<const DepthRange> ranges_;
  Window object_;
  float first_ = 0, step_ = 0;  // 1 / depth of the first plane, and between two
  int planes_ = 0;
  std::vector<float> scores_;                   // [planes, object's window]
  std::vector<float> first_best_, second_;      // of a plane: the two largest correlations
  std::array<std::vector<float>, kSums> sums_;  // of a plane and another picture
  std::vector<float> scratch_;
};

/// The depths of a view [size, size] at which patches look the same in two of the others or more; NaN where
/// no depth is clearly the best. ranges: [size, size]. step: becomes the difference of 1 / depth between two planes.
std::vector<float> sweep_planes(const ReducedView& picture, std::span<const ReducedView* const> others,
                                std::span<const DepthRange> ranges, float& step) {
  Sweep sweep(picture, others, ranges);
  step = sweep.step();
  return sweep.depths();
}

constexpr int kUsualSize = 160;  ///< pixels of a side, to twice of which masks are reduced
constexpr std::size_t kMostMaps = 24;
constexpr std::size_t kOthers = 4;    ///< pictures with which one is compared
constexpr int kFewestConfirming = 2;  ///< other maps that have the same surface
constexpr float kSame = 1.5F;         ///< steps between two planes

/// Where a pixel's ray is in the hull.
std::vector<DepthRange> find_ranges(const ReducedView& view, const BlockGrid& grid, const std::vector<float>& hull) {
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
  const std::optional<std::size_t> pixel = map.camera.index_of(point, map.size);
  return pixel ? map.depths[*pixel] : kUnknown;
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
    maps[i].depths = sweep_planes(picture, others, find_ranges(picture, grid, hull), steps[i]);
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
