#include "surface/missing_surface.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/parallel.h"
#include "geometry/disjoint_sets.h"
#include "surface/silhouette_rays.h"
#include "surface/smooth_ranges.h"

namespace p2mpp {
namespace {

/// Of a pixel. kAside: it does not show the object, or is not known.
enum class PixelState : std::uint8_t { kAside, kHit, kMissed, kPasses, kMissing };

/// Of a mask's pixels: their states and, of those that hit, the range in voxels.
struct MaskRays {
  std::vector<PixelState> states;
  std::vector<float> ranges;

  [[nodiscard]] std::size_t count(PixelState state) const {
    return static_cast<std::size_t>(std::ranges::count(states, state));
  }
};

template <class Body>
void around(int width, std::size_t pixel, int reach, const Body& body) {
  const int row = static_cast<int>(pixel) / width, column = static_cast<int>(pixel) % width;
  for (int y = std::max(0, row - reach); y <= std::min(width - 1, row + reach); ++y) {
    for (int x = std::max(0, column - reach); x <= std::min(width - 1, column + reach); ++x) {
      body(static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
    }
  }
}

/// Turns missed pixels into missing ones or those that may pass.
class MissedPixels {
 public:
  MissedPixels(int width, std::vector<PixelState>& rays) : width_(width), rays_(rays), hits_(rays.size()) {
    for (std::size_t pixel = 0; pixel < rays.size(); ++pixel) {
      if (rays[pixel] != PixelState::kHit) continue;
      around(width, pixel, 1, [&](std::size_t other) {
        if (other < pixel && rays[other] == PixelState::kHit) hits_.unite(pixel, other);
      });
    }
  }

  void sort() {
    for (std::size_t pixel = 0; pixel < rays_.size(); ++pixel) {
      if (rays_[pixel] == PixelState::kMissed) sort_region(pixel);
    }
  }

 private:
  void sort_region(std::size_t first) {
    constexpr int kBeside = 2;  // pixels
    constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> region = {first};
    rays_[first] = PixelState::kPasses;
    std::size_t touched = kNone;  // a region of pixels that hit
    bool is_missing = false, is_surrounded = true;
    for (std::size_t i = 0; i < region.size(); ++i) {
      bool is_near = false;
      around(width_, region[i], kBeside,
             [&](std::size_t other) { is_near = is_near || rays_[other] == PixelState::kHit; });
      is_missing = is_missing || !is_near;
      around(width_, region[i], 1, [&](std::size_t other) {
        if (rays_[other] == PixelState::kHit) {
          const std::size_t hit = hits_.find(other);
          is_missing = is_missing || (touched != kNone && touched != hit);
          touched = hit;
        } else if (rays_[other] == PixelState::kMissed) {
          rays_[other] = PixelState::kPasses;
          region.push_back(other);
        } else if (rays_[other] == PixelState::kAside) {
          is_surrounded = false;
        }
      });
    }
    if (!is_missing && !is_surrounded) return;
    for (const std::size_t pixel : region) rays_[pixel] = PixelState::kMissing;
  }

  int width_;
  std::vector<PixelState>& rays_;
  DisjointSets hits_;
};

class MissingSurface {
 public:
  MissingSurface(const BlockGrid& grid, const LearnedVoxels& voxels, int threads)
      : grid_(grid), voxels_(voxels), threads_(threads), missing_(voxels.distances.size()) {
    for (const float distance : voxels.distances) solid_.push_back(distance < 0 ? 1 : 0);
  }

  /// Of the solid with what has been added.
  [[nodiscard]] MaskRays cast(const MaskView& view) const {
    MaskRays rays{std::vector<PixelState>(area(view), PixelState::kAside), std::vector<float>(area(view))};
    const auto width = static_cast<std::size_t>(view.width);
    for_each_task(width, threads_, [&](std::size_t row) {
      for (std::size_t column = 0; column < width; ++column) {
        if (!view.is_object(static_cast<int>(row), static_cast<int>(column))) continue;
        const std::size_t pixel = row * width + column;
        const GridRay ray = ray_of_pixel(grid_, view, pixel);
        const auto is_hit = [&](std::int32_t slot, const Eigen::Vector3i& voxel) {
          if (slot >= 0 && solid_[BlockGrid::index_of(slot, voxel)] == 0) return false;
          rays.ranges[pixel] = range_of(ray, voxel);
          return true;
        };
        rays.states[pixel] = walk(grid_, ray, is_hit) ? PixelState::kHit : PixelState::kMissed;
      }
    });
    MissedPixels(view.width, rays.states).sort();
    return rays;
  }

  /// Adds what a mask's missing pixels need.
  void add(const MaskView& view) {
    const MaskRays rays = cast(view);
    if (rays.count(PixelState::kMissing) == 0) return;
    SmoothRanges search = prepared(view, rays);
    const std::vector<std::size_t> chosen = search.choose({.slope = 0.25F, .jump = 4});
    std::vector<std::size_t> place_of(area(view), kNone);
    std::vector<Eigen::Vector3f> points;  // in voxels from the grid's corner
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const std::size_t pixel = search.pixels()[i];
      const GridRay ray = ray_of_pixel(grid_, view, pixel);
      const bool is_missing = rays.states[pixel] == PixelState::kMissing;
      const float range = is_missing ? nearest_usable(view, pixel, middle_of(chosen[i])) : rays.ranges[pixel];
      place_of[pixel] = i;
      points.emplace_back(ray.origin + range * ray.along);
      if (is_missing) add_voxel(points.back());
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      std::array<std::size_t, 4> corners{};
      if (square_of(view, rays, search.pixels()[i], place_of, corners)) {
        add_square({points[corners[0]], points[corners[1]], points[corners[2]], points[corners[3]]});
      }
    }
  }

  [[nodiscard]] std::vector<std::uint8_t> result() && { return std::move(missing_); }

 private:
  static constexpr float kUnusable = 12;  // voxels of distance
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  [[nodiscard]] static std::size_t area(const MaskView& view) {
    return static_cast<std::size_t>(view.width) * static_cast<std::size_t>(view.width);
  }
  static float range_of(const GridRay& ray, const Eigen::Vector3i& voxel) {
    return (voxel.cast<float>() + Eigen::Vector3f::Constant(0.5F) - ray.origin).dot(ray.along);
  }
  [[nodiscard]] float middle_of(std::size_t step) const { return first_ + (static_cast<float>(step) + 0.5F) * step_; }

  /// The missing pixels, and those around them that hit, whose surface goes on.
  [[nodiscard]] static std::vector<std::size_t> searched_pixels(const MaskView& view, const MaskRays& rays) {
    constexpr int kAround = 4;
    std::vector<std::uint8_t> is_searched(area(view));
    for (std::size_t pixel = 0; pixel < is_searched.size(); ++pixel) {
      if (rays.states[pixel] != PixelState::kMissing) continue;
      is_searched[pixel] = 1;
      around(view.width, pixel, kAround, [&](std::size_t other) {
        if (rays.states[other] == PixelState::kHit) is_searched[other] = 1;
      });
    }
    std::vector<std::size_t> pixels;
    for (std::size_t pixel = 0; pixel < is_searched.size(); ++pixel) {
      if (is_searched[pixel] != 0) pixels.push_back(pixel);
    }
    return pixels;
  }

  /// With the costs of all ranges, in voxels: the distance to the solid, or to the range of a hit.
  SmoothRanges prepared(const MaskView& view, const MaskRays& rays) {
    constexpr std::size_t kMostCosts = std::size_t{1} << 24;
    constexpr float kMostOff = 4;
    std::vector<std::size_t> pixels = searched_pixels(view, rays);
    first_ = std::numeric_limits<float>::max();
    float last = 0;
    for (const std::size_t pixel : pixels) {
      const GridRay ray = ray_of_pixel(grid_, view, pixel);
      first_ = std::min(first_, ray.begin);
      last = std::max(last, ray.end);
    }
    const float most = std::max(1.0F, static_cast<float>(kMostCosts / pixels.size()));
    step_ = std::max(1.0F, (last - first_) / most);
    SmoothRanges search(view.width, std::move(pixels), static_cast<std::size_t>((last - first_) / step_) + 1);
    for_each_task(search.pixels().size(), threads_, [&](std::size_t i) {
      const std::size_t pixel = search.pixels()[i];
      const std::span<float> costs = search.costs(i);
      if (rays.states[pixel] == PixelState::kHit) {
        for (std::size_t k = 0; k < costs.size(); ++k) {
          costs[k] = std::min(std::fabs(middle_of(k) - rays.ranges[pixel]), kMostOff);
        }
        return;
      }
      std::ranges::fill(costs, kUnusable);
      for_each_usable(view, pixel, [&](std::size_t index, float range) {
        const auto step = static_cast<std::size_t>(std::max((range - first_) / step_, 0.0F));
        float& cost = costs[std::min(step, costs.size() - 1)];
        cost = std::min(cost, std::max(voxels_.distances[index], 0.0F));
      });
    });
    return search;
  }

  /// Calls body(index, range) for the usable voxels of a pixel's ray.
  template <class Body>
  void for_each_usable(const MaskView& view, std::size_t pixel, const Body& body) const {
    const GridRay ray = ray_of_pixel(grid_, view, pixel);
    walk(grid_, ray, [&](std::int32_t slot, const Eigen::Vector3i& voxel) {
      if (slot < 0) return false;
      const std::size_t index = BlockGrid::index_of(slot, voxel);
      if (voxels_.usable[index] != 0) body(index, range_of(ray, voxel));
      return false;
    });
  }

  /// The range of a pixel's usable voxel that is nearest to a range, which is given back if there is none.
  [[nodiscard]] float nearest_usable(const MaskView& view, std::size_t pixel, float range) const {
    float found = range, least = std::numeric_limits<float>::max();
    for_each_usable(view, pixel, [&](std::size_t, float at) {
      if (const float off = std::fabs(at - range); off < least) {
        least = off;
        found = at;
      }
    });
    return found;
  }

  /// The places of a pixel and its neighbours to the right and below, if one of them is missing and all are searched.
  [[nodiscard]] static bool square_of(const MaskView& view, const MaskRays& rays, std::size_t pixel,
                                      std::span<const std::size_t> place_of, std::array<std::size_t, 4>& corners) {
    const auto width = static_cast<std::size_t>(view.width);
    if (pixel % width + 1 == width || pixel / width + 1 == width) return false;
    bool is_missing = false;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t other = pixel + (i & 1) + (i >> 1) * width;
      is_missing = is_missing || rays.states[other] == PixelState::kMissing;
      corners[i] = place_of[other];
      if (corners[i] == kNone) return false;
    }
    return is_missing;
  }

  /// What is between the points of neighbouring pixels, unless they are of different surfaces.
  void add_square(const std::array<Eigen::Vector3f, 4>& corners) {
    constexpr float kFarthest = 8, kStep = 0.7F;  // voxels
    const float longest = std::max((corners[3] - corners[0]).norm(), (corners[2] - corners[1]).norm());
    if (longest > kFarthest) return;
    const auto steps = static_cast<int>(std::ceil(longest / kStep));
    for (int i = 0; i <= steps; ++i) {
      for (int j = 0; j <= steps; ++j) {
        const float s = static_cast<float>(i) / static_cast<float>(steps),
                    t = static_cast<float>(j) / static_cast<float>(steps);
        add_voxel((1 - t) * ((1 - s) * corners[0] + s * corners[1]) + t * ((1 - s) * corners[2] + s * corners[3]));
      }
    }
  }

  /// The voxel at a place that counts in voxels, if it is usable.
  void add_voxel(const Eigen::Vector3f& place) {
    const Eigen::Vector3i middle = place.array().floor().cast<int>();
    const std::int32_t own = (middle.array() < 0).any() ? BlockGrid::kEmpty : grid_.slot(middle / kBlockSide);
    if (own < 0) return;
    const std::size_t index = BlockGrid::index_of(own, middle);
    if (voxels_.usable[index] == 0 || missing_[index] != 0) return;
    missing_[index] = 1;
    for_each_voxel_around(grid_, middle, static_cast<int>(kMissingRadius),
                          [&](std::size_t at, const Eigen::Vector3i& away) {
                            if (away.cast<float>().norm() < kMissingRadius) solid_[at] = 1;
                          });
  }

  const BlockGrid& grid_;
  LearnedVoxels voxels_;
  int threads_;
  std::vector<std::uint8_t> missing_, solid_;
  float first_ = 0, step_ = 1;  // voxels: the least range of a search, and the step between its ranges
};

}  // namespace

std::vector<std::uint8_t> missing_surface(const BlockGrid& grid, std::span<const MaskView> views,
                                          const LearnedVoxels& voxels, int threads) {
  MissingSurface surface(grid, voxels, threads);
  std::vector<std::size_t> missing;
  for (const MaskView& view : views) missing.push_back(surface.cast(view).count(PixelState::kMissing));
  std::vector<std::size_t> order(views.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return missing[i]; });
  for (const std::size_t i : order) surface.add(views[i]);
  return std::move(surface).result();
}

}  // namespace p2mpp
