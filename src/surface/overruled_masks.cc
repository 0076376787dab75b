#include "surface/overruled_masks.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "geometry/connected_parts.h"
#include "image/mask_boundary.h"

namespace p2mpp {
namespace {

constexpr float kBeyond = 0.01F;       ///< of the side, from a mask's boundary: nearer, it is not denied
constexpr double kLeastArea = 0.0006;  ///< of the square: less may be chance
constexpr int kFewestMaps = 3;         ///< whose surfaces a pixel denies
constexpr float kWidest = 0.05F;       ///< of the side: radius of a place that a near camera sees

/// A place of the surface that a mask denies: a disc of its pixels.
struct Denial {
  std::size_t map = 0, view = 0;
  Eigen::Vector2f pixel;
  float radius = 0;
};

/// The denials of a map's surface, where they are few.
std::vector<Denial> count_denials(std::span<const DepthMap> maps, std::size_t which, std::span<const MaskView> views,
                                  std::size_t most) {
  const DepthMap& map = maps[which];
  std::vector<Denial> denials;
  const float pixel = 2 / map.camera.focal.sum();
  for (std::size_t i = 0; i < map.depths.size(); ++i) {
    if (std::isnan(map.depths[i])) continue;
    const Eigen::Vector3f point = place_at(map, i);
    const std::size_t before = denials.size();
    for (std::size_t k = 0; k < views.size(); ++k) {
      const MaskView::Sight sight = views[k].see(point);
      if (sight.pixel == 0 || sight.distance > -kBeyond * static_cast<float>(views[k].width)) continue;
      const Pinhole<float>& camera = views[k].float_camera();
      denials.push_back({which, k, camera.pixel_of(camera.cam_from_world(point)), pixel * map.depths[i] / sight.pixel});
    }
    if (denials.size() - before > most) denials.resize(before);
  }
  return denials;
}

/// A square of bytes, 255 in the discs of a view's denials of enough maps. Precondition: they are in the maps' order.
Mask drawn(std::span<const Denial> denials, std::size_t view, int width) {
  Mask plane{width, width,
             std::vector<std::uint8_t>(static_cast<std::size_t>(width) * static_cast<std::size_t>(width))};
  std::vector<int> maps(plane.coverage.size());
  std::vector<std::size_t> last(plane.coverage.size());  // map, from 1
  const auto inside = [&](float value) {
    return static_cast<int>(std::clamp(value, 0.0F, static_cast<float>(width - 1)));
  };
  for (const Denial& each : denials) {
    if (each.view != view) continue;
    const float reach = std::clamp(each.radius, 1.0F, std::max(kWidest * static_cast<float>(width), 1.0F));
    for (int row = inside(each.pixel.y() - reach); row <= inside(each.pixel.y() + reach); ++row) {
      for (int column = inside(each.pixel.x() - reach); column <= inside(each.pixel.x() + reach); ++column) {
        const Eigen::Vector2f centre(static_cast<float>(column) + 0.5F, static_cast<float>(row) + 0.5F);
        if ((centre - each.pixel).squaredNorm() > reach * reach) continue;
        const auto i = static_cast<std::size_t>(row * width + column);
        if (last[i] == each.map + 1) continue;
        last[i] = each.map + 1;
        if (++maps[i] == kFewestMaps) plane.coverage[i] = 255;
      }
    }
  }
  return plane;
}

/// Removes connected parts that are too small.
void remove_small(Mask& plane) {
  const auto least = static_cast<std::size_t>(kLeastArea * static_cast<double>(plane.coverage.size()));
  ConnectedParts parts(
      plane.coverage.size(), [&](std::size_t pixel) { return plane.coverage[pixel] != 0; },
      PixelsBefore{static_cast<std::size_t>(plane.width)});
  for (const std::size_t pixel : parts.smaller_than(least)) plane.coverage[pixel] = 0;
}

/// Returns whether the mask was changed.
bool overrule(std::span<const Denial> denials, std::size_t which, MaskView& view) {
  Mask plane = drawn(denials, which, view.width);
  remove_small(plane);
  if (std::ranges::all_of(plane.coverage, [](std::uint8_t value) { return value == 0; })) return false;
  // To the mask's boundary, which is no farther from a denial than this and its disc.
  const Mask wide = MaskBoundary(std::move(plane)).shrunk(-1.5F * kBeyond * static_cast<float>(view.width) - 2);
  Mask mask = view;
  mask.unknown.resize(mask.coverage.size());
  for (std::size_t i = 0; i < mask.coverage.size(); ++i) {
    if (wide.coverage[i] < 128 || mask.coverage[i] >= 128) continue;
    mask.unknown[i] = 1;
    mask.coverage[i] = 0;
  }
  view.set_mask(std::move(mask));
  return true;
}

}  // namespace

std::size_t overrule_masks(std::span<const DepthMap> maps, std::size_t most, int threads, std::span<MaskView> views) {
  std::vector<std::vector<Denial>> found(maps.size());
  for_each_task(maps.size(), threads, [&](std::size_t i) { found[i] = count_denials(maps, i, views, most); });
  std::vector<Denial> denials;
  for (const std::vector<Denial>& each : found) denials.insert(denials.end(), each.begin(), each.end());
  std::vector<std::uint8_t> changed(views.size());
  for_each_task(views.size(), threads, [&](std::size_t i) { changed[i] = overrule(denials, i, views[i]) ? 1 : 0; });
  return static_cast<std::size_t>(std::ranges::count(changed, std::uint8_t{1}));
}

}  // namespace p2mpp
