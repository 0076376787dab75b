#include "texture/baked_texture.h"

#include <Eigen/Geometry>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "colours/mesh_colours.h"
#include "image/srgb.h"
#include "p2mpp/mesh_texture.h"
#include "rays/ray_scene.h"
#include "texture/chart_layout.h"
#include "texture/chart_packing.h"
#include "texture/texel_painting.h"

namespace p2mpp {
namespace {

/// The colours of a mesh's surface, looked up from near it.
class NearColours {
 public:
  explicit NearColours(const TriangleMesh& mesh)
      : mesh_(mesh), colours_(mesh), scene_({mesh.vertices, mesh.triangles}, 0) {
    Eigen::AlignedBox3f box;
    for (const Eigen::Vector3f& vertex : mesh.vertices) box.extend(vertex);
    constexpr float kReach = 0.05F, kLead = 1e-5F;  // of the diagonal
    reach_ = kReach * box.diagonal().norm();
    lead_ = kLead * box.diagonal().norm();
  }

  /// Linear. Empty if no surface is near along the normal.
  [[nodiscard]] std::optional<Eigen::Vector3f> at(const Eigen::Vector3f& place, const Eigen::Vector3f& normal,
                                                  float spacing) const {
    std::array<Ray, 2> rays;
    for (std::size_t i = 0; i < 2; ++i) {
      const Eigen::Vector3f way = i == 0 ? normal : Eigen::Vector3f(-normal);
      rays[i] = {place - lead_ * way, way, reach_};
    }
    std::array<RayHit, 2> hits;
    scene_.intersect(rays, hits);
    const RayHit* best = nullptr;
    for (const RayHit& hit : hits) {
      if (!hit.hit() || normal_of(hit.primitive).dot(normal) <= 0) continue;
      if (best == nullptr || hit.distance < best->distance) best = &hit;
    }
    if (best == nullptr) return std::nullopt;
    return colours_.at(best->primitive, {1 - best->u - best->v, best->u, best->v}, spacing);
  }

 private:
  [[nodiscard]] Eigen::Vector3f normal_of(std::uint32_t triangle) const {
    const auto& [a, b, c] = mesh_.triangles[triangle];
    const auto vertex = [&](std::int32_t v) -> const Eigen::Vector3f& {
      return mesh_.vertices[static_cast<std::size_t>(v)];
    };
    return (vertex(b) - vertex(a)).cross(vertex(c) - vertex(a));
  }

  const TriangleMesh& mesh_;
  MeshColours colours_;
  RayScene scene_;
  float reach_ = 0, lead_ = 0;
};

void bake_face(const PaintedSurface& surface, std::size_t face, const NearColours& colours, float spacing,
               Image& texture) {
  for_each_texel(surface.texels[face], [&](int x, int y, const Eigen::Vector3f& weights) {
    if (x < 0 || y < 0 || x >= texture.width || y >= texture.height) return;
    Eigen::Vector3f place = Eigen::Vector3f::Zero();
    for (std::size_t i = 0; i < 3; ++i) place += weights[static_cast<int>(i)] * surface.corner(face, i);
    const std::optional<Eigen::Vector3f> colour = colours.at(place, surface.normals[face], spacing);
    if (!colour) return;
    std::uint8_t* rgba = &texture.rgba[4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(texture.width) +
                                            static_cast<std::size_t>(x))];
    for (int channel = 0; channel < 3; ++channel) rgba[channel] = srgb_from_linear((*colour)[channel]);
    rgba[3] = 255;
  });
}

}  // namespace

TriangleMesh with_baked_texture(TriangleMesh mesh, const TriangleMesh& coloured, int size, int threads) {
  PaintedSurface surface = painted_surface_of(mesh).surface;
  ChartLayout layout = lay_out(surface, size);
  surface.texels = std::move(layout.texels);
  auto texture = std::make_shared<MeshTexture>();
  texture->image = {size, size,
                    std::vector<std::uint8_t>(4 * static_cast<std::size_t>(size) * static_cast<std::size_t>(size))};
  const NearColours colours(coloured);
  const auto spacing = static_cast<float>(1 / layout.texels_per_unit);
  // Charts do not overlap, so that no two triangles share a texel.
  for_each_piece(surface.triangles.size(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t face = begin; face < end; ++face) bake_face(surface, face, colours, spacing, texture->image);
  });
  fill_gaps(texture->image);
  texture->corners.reserve(surface.texels.size());
  for (const Texels& at : surface.texels) {
    auto& corners = texture->corners.emplace_back();
    for (std::size_t i = 0; i < 3; ++i) corners[i] = at[i] / static_cast<float>(size);
  }
  mesh.colours.clear();
  mesh.texture = std::move(texture);
  return mesh;
}

}  // namespace p2mpp
