#include "refinement/depth_agreement.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace p2mpp {
namespace {

constexpr float kMostCost = 0.35F;   ///< of a plane that counts
constexpr float kUsualCost = 0.1F;   ///< at which a weight falls to 1/e
constexpr float kFarthestPixel = 1;  ///< between a place and where another view's is seen
constexpr float kSamePlace = 0.2F;   ///< of the reach
constexpr float kAlike = 0.8F;       ///< cosine between normals
constexpr int kFewestOthers = 2;     ///< others that agree
constexpr float kLeastAlong = 0.6F;  ///< cosine between the plane's normal and the mesh's

/// A place of the surface that a view shows, in the world.
struct ShownPlace {
  Eigen::Vector3f place, normal;
};

/// The plane at a pixel, at a continuous place near it.
std::optional<ShownPlace> shown_place(const Pinhole<float>& camera, const PlaneMap& map, std::size_t pixel,
                                      const Eigen::Vector2f& at) {
  const Eigen::Vector3f& plane = map.planes[pixel];
  const float nearness = plane.dot(Eigen::Vector3f(at.x(), at.y(), 1));
  if (!(nearness > 0) || !(map.costs[pixel] < kMostCost)) return {};
  const Eigen::Vector3f normal = -plane_normal(camera, plane).normalized();
  return ShownPlace{camera.centre + camera.ray(at.x(), at.y()) / nearness, camera.rotation.transpose() * normal};
}

/// Where a view sees a place, and what it shows there; nothing if it shows another place.
std::optional<ShownPlace> confirmed(const ShownPlace& own, const Pinhole<float>& back, const ReducedView& other,
                                    const PlaneMap& map, float nearest) {
  const Pinhole<float>& camera = other.camera;
  const Eigen::Vector3f seen = camera.cam_from_world(own.place);
  if (!(seen.z() > 0)) return {};
  const Eigen::Vector2f at = camera.pixel_of(seen);
  const std::optional<std::size_t> pixel = pixel_index(at, other.size);
  if (!pixel) return {};
  const std::optional<ShownPlace> shown = shown_place(camera, map, *pixel, at);
  if (!shown || !((shown->place - own.place).norm() < nearest) || !(shown->normal.dot(own.normal) > kAlike)) return {};
  const Eigen::Vector2f away =
      back.pixel_of(back.cam_from_world(shown->place)) - back.pixel_of(back.cam_from_world(own.place));
  if (!(away.norm() < kFarthestPixel)) return {};
  return shown;
}

}  // namespace

void add_confirmed_depths(const SeenSurface& surface, std::span<const SeenView> views, std::span<const PlaneMap> maps,
                          std::size_t which, std::span<const std::size_t> others, float reach,
                          VertexAgreement& agreement) {
  const ReducedView& seen = *views[which].view;
  const SurfaceRaster& raster = *views[which].raster;
  const PlaneMap& map = maps[which];
  for (std::size_t i = 0; i < map.planes.size(); ++i) {
    if (!(map.costs[i] < kMostCost) || raster.faces[i] < 0) continue;
    const Eigen::Vector2f pixel = pixel_centre<float>(i, static_cast<std::size_t>(seen.size));
    const std::optional<ShownPlace> own = shown_place(seen.camera, map, i, pixel);
    if (!own) continue;
    const Eigen::Vector3f ray = seen.camera.ray(pixel.x(), pixel.y());
    float depth = (own->place - seen.camera.centre).dot(ray) / ray.squaredNorm();
    Eigen::Vector3f normal = own->normal;
    int count = 0;
    for (const std::size_t other : others) {
      const std::optional<ShownPlace> shown =
          confirmed(*own, seen.camera, *views[other].view, maps[other], kSamePlace * reach);
      if (!shown) continue;
      depth += shown->normal.dot(shown->place - seen.camera.centre) / shown->normal.dot(ray);
      normal += shown->normal;
      ++count;
    }
    if (count < kFewestOthers) continue;
    depth /= static_cast<float>(count + 1);
    normal.normalize();
    const Eigen::Vector3f along = normal_at(surface, raster, i);
    const float facing = normal.dot(along);
    if (!(facing > kLeastAlong)) continue;
    const float way = normal.dot(ray) * (depth - 1 / raster.nearness[i]) / facing;
    if (!(std::abs(way) < reach)) continue;
    const float contrast = map.contrasts[i];
    const float weight = contrast / (contrast + kFairContrast * kFairContrast) * std::exp(-map.costs[i] / kUsualCost) *
                         std::sqrt(static_cast<float>(count + 1));
    agreement.add(surface, raster, i, {weight * way, weight, -weight * std::abs(way), weight});
  }
}

}  // namespace p2mpp
