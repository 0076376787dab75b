#include "rays/ray_scene.h"

// Linked if the build found no Embree. Never called: what needs rays asks for a tracer() before.
namespace p2mpp {

struct RayScene::Impl {};

RayScene::RayScene(const TriangleMesh& /*mesh*/, float /*point_radius*/) {}
RayScene::RayScene(RayScene&&) noexcept = default;
RayScene& RayScene::operator=(RayScene&&) noexcept = default;
RayScene::~RayScene() = default;

void RayScene::intersect(std::span<const Ray> /*rays*/, std::span<RayHit> /*hits*/) const {}
void RayScene::find_blocked(std::span<const Ray> /*rays*/, std::span<std::uint8_t> /*blocked*/) const {}
std::size_t RayScene::count_blocked(std::span<const Ray> /*rays*/) const { return 0; }
std::string_view RayScene::tracer() { return {}; }

}  // namespace p2mpp
