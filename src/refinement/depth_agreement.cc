#include "refinement/depth_agreement.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace p2mpp {
namespace {

constexpr float kMostCost = 0.35F;   ///< of a plane that counts
constexpr float kUsualCost = 0.1F;   ///< at which a weight falls to 1/e
constexpr float kFairVariance = 36;  ///< of patches that count half: fainter ones may be light, noise or a shadow
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
std::optional<ShownPlace> shown_place(const MatchedView& view, std::size_t pixel, const Eigen::Vector2f& at) {
  const Eigen::Vector3f& plane = view.map->planes[pixel];
  const Pinhole<float>& camera = view.seen.view->camera;
  const float nearness = plane.dot(Eigen::Vector3f(at.x(), at.y(), 1));
  if (!(nearness > 0) || !(view.map->costs[pixel] < kMostCost)) return {};
  const Eigen::Vector3f normal = -plane_normal(camera, plane).normalized();
  return ShownPlace{camera.centre + camera.ray(at.x(), at.y()) / nearness, camera.rotation.transpose() * normal};
}

/// Where a view sees a place, and what it shows there; nothing if it shows another place.
std::optional<ShownPlace> confirmed(const ShownPlace& own, const MatchedView& view, const MatchedView& other,
                                    float nearest) {
  const Pinhole<float>& camera = other.seen.view->camera;
  const Eigen::Vector3f seen = camera.cam_from_world(own.place);
  if (!(seen.z() > 0)) return {};
  const Eigen::Vector2f at = camera.pixel_of(seen);
  const std::optional<std::size_t> pixel = pixel_index(at, other.seen.view->size);
  if (!pixel) return {};
  const std::optional<ShownPlace> shown = shown_place(other, *pixel, at);
  if (!shown || !((shown->place - own.place).norm() < nearest) || !(shown->normal.dot(own.normal) > kAlike)) return {};
  const Pinhole<float>& back = view.seen.view->camera;
  const Eigen::Vector2f away =
      back.pixel_of(back.cam_from_world(shown->place)) - back.pixel_of(back.cam_from_world(own.place));
  if (!(away.norm() < kFarthestPixel)) return {};
  return shown;
}

}  // namespace

void add_confirmed_depths(const SeenSurface& surface, const MatchedView& view, std::span<const MatchedView> others,
                          float reach, VertexAgreement& agreement) {
  const ReducedView& seen = *view.seen.view;
  const SurfaceRaster& raster = *view.seen.raster;
  const auto side = static_cast<std::size_t>(seen.size);
  for (std::size_t i = 0; i < view.map->planes.size(); ++i) {
    if (!(view.map->costs[i] < kMostCost) || raster.faces[i] < 0) continue;
    const Eigen::Vector2f pixel(static_cast<float>(i % side) + 0.5F, static_cast<float>(i / side) + 0.5F);
    const std::optional<ShownPlace> own = shown_place(view, i, pixel);
    if (!own) continue;
    const Eigen::Vector3f ray = seen.camera.ray(pixel.x(), pixel.y());
    float depth = (own->place - seen.camera.centre).dot(ray) / ray.squaredNorm();
    Eigen::Vector3f normal = own->normal;
    int count = 0;
    for (const MatchedView& other : others) {
      const std::optional<ShownPlace> shown = confirmed(*own, view, other, kSamePlace * reach);
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
    const float contrast = view.map->contrasts[i];
    const float weight = contrast / (contrast + kFairVariance) * std::exp(-view.map->costs[i] / kUsualCost) *
                         std::sqrt(static_cast<float>(count + 1));
    const Triangle& triangle = surface.triangles[static_cast<std::size_t>(raster.faces[i])];
    const Eigen::Vector3f shares = shares_at(surface, raster, i);
    for (std::size_t k = 0; k < 3; ++k) {
      agreement.sums[static_cast<std::size_t>(triangle[k])] +=
          shares[static_cast<Eigen::Index>(k)] *
          VertexAgreement::Sums(weight * way, weight, -weight * std::abs(way), weight);
    }
  }
}

}  // namespace p2mpp
