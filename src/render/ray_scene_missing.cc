#include "p2mpp/error.h"
#include "render/ray_scene.h"

// Stands in where the build found no Embree.
namespace p2mpp {

struct RayScene::Impl {};

RayScene::RayScene(const TriangleMesh& /*mesh*/, float /*point_radius*/) {
  throw Error(
      "this build cannot draw meshes: Embree was not found when it was configured; install libembree-dev, then "
      "configure and build again");
}

RayScene::RayScene(RayScene&&) noexcept = default;
RayScene& RayScene::operator=(RayScene&&) noexcept = default;
RayScene::~RayScene() = default;

void RayScene::intersect(std::span<const Ray> /*rays*/, std::span<RayHit> /*hits*/) const {}
std::size_t RayScene::count_blocked(std::span<const Ray> /*rays*/) const { return 0; }
std::string_view RayScene::tracer() { return {}; }

}  // namespace p2mpp
