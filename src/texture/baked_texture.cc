#include "texture/baked_texture.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "colours/mesh_colours.h"
#include "colours/uv_seams.h"
#include "image/srgb.h"
#include "p2mpp/mesh_texture.h"
#include "p2mpp/metrics.h"
#include "rays/ray_scene.h"
#include "texture/chart_layout.h"
#include "texture/chart_packing.h"
#include "texture/texel_painting.h"

namespace p2mpp {
namespace {

/// A mesh's surface, looked up from near it.
class NearSurface {
 public:
  explicit NearSurface(const TriangleMesh& mesh)
      : mesh_(mesh), normals_(vertex_cloud(mesh).normals), colours_(mesh), scene_({mesh.vertices, mesh.triangles}, 0) {
    Eigen::AlignedBox3f box;
    for (const Eigen::Vector3f& vertex : mesh.vertices) box.extend(vertex);
    constexpr float kReach = 0.05F, kLead = 1e-5F;  // of the diagonal
    reach_ = kReach * box.diagonal().norm();
    lead_ = kLead * box.diagonal().norm();
  }

  struct Found {
    Eigen::Vector3f colour;  ///< linear
    Eigen::Vector3f normal;  ///< of unit length
  };

  /// Empty if no surface is near along the normal.
  [[nodiscard]] std::optional<Found> at(const Eigen::Vector3f& place, const Eigen::Vector3f& normal,
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
    const std::array<float, 3> weights = {1 - best->u - best->v, best->u, best->v};
    Eigen::Vector3f smooth = Eigen::Vector3f::Zero();
    for (std::size_t i = 0; i < 3; ++i) {
      smooth += weights[i] * normals_[static_cast<std::size_t>(mesh_.triangles[best->primitive][i])];
    }
    return Found{colours_.at(best->primitive, {weights[0], weights[1], weights[2]}, spacing),
                 smooth.stableNormalized()};
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
  Points normals_;
  MeshColours colours_;
  RayScene scene_;
  float reach_ = 0, lead_ = 0;
};

/// The frames of a normal map at the corners of a mesh's triangles.
class NormalFrames {
 public:
  /// Precondition: normals, and a texture.
  explicit NormalFrames(const TriangleMesh& mesh) : mesh_(split_at_seams(mesh)), tangents_(make_tangents(mesh_)) {}

  /// A direction as a texel.
  [[nodiscard]] std::array<std::uint8_t, 3> texel(std::size_t face, const Eigen::Vector3f& weights,
                                                  const Eigen::Vector3f& direction) const {
    Eigen::Vector3f normal = Eigen::Vector3f::Zero();
    Eigen::Vector4f tangent = Eigen::Vector4f::Zero();
    for (std::size_t i = 0; i < 3; ++i) {
      const auto vertex = static_cast<std::size_t>(mesh_.mesh.triangles[face][i]);
      normal += weights[static_cast<int>(i)] * mesh_.mesh.normals[vertex];
      tangent += weights[static_cast<int>(i)] * tangents_[vertex];
    }
    normal.stableNormalize();
    tangent.head<3>() = tangent.head<3>().stableNormalized().eval();
    tangent.w() = tangent.w() < 0 ? -1.0F : 1.0F;
    const Eigen::Vector3f in_frame(direction.dot(tangent.head<3>()), direction.dot(make_bitangent(normal, tangent)),
                                   direction.dot(normal));
    const Eigen::Vector3f unit = in_frame.stableNormalized();
    std::array<std::uint8_t, 3> coded{};
    for (int i = 0; i < 3; ++i) {
      coded[static_cast<std::size_t>(i)] =
          static_cast<std::uint8_t>(std::clamp(std::lround(255 * (unit[i] + 1) / 2), 0L, 255L));
    }
    return coded;
  }

 private:
  SeamedMesh mesh_;
  std::vector<Eigen::Vector4f> tangents_;
};

Image blank(int size) {
  return {size, size, std::vector<std::uint8_t>(4 * static_cast<std::size_t>(size) * static_cast<std::size_t>(size))};
}

/// frames: null for no normal map
void bake_face(const PaintedSurface& surface, std::size_t face, const NearSurface& source, float spacing,
               const NormalFrames* frames, MeshTexture& texture) {
  for_each_texel(surface.texels[face], [&](int x, int y, const Eigen::Vector3f& weights) {
    if (x < 0 || y < 0 || x >= texture.image.width || y >= texture.image.height) return;
    Eigen::Vector3f place = Eigen::Vector3f::Zero();
    for (std::size_t i = 0; i < 3; ++i) place += weights[static_cast<int>(i)] * surface.corner(face, i);
    const std::optional<NearSurface::Found> found = source.at(place, surface.normals[face], spacing);
    if (!found) return;
    const std::size_t at =
        4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(texture.image.width) + static_cast<std::size_t>(x));
    for (std::size_t channel = 0; channel < 3; ++channel) {
      texture.image.rgba[at + channel] = srgb_from_linear(found->colour[static_cast<int>(channel)]);
    }
    texture.image.rgba[at + 3] = 255;
    if (frames == nullptr) return;
    std::ranges::copy(frames->texel(face, weights, found->normal), &texture.normal_map.rgba[at]);
    texture.normal_map.rgba[at + 3] = 255;
  });
}

}  // namespace

TriangleMesh with_baked_texture(TriangleMesh mesh, const TriangleMesh& coloured, const BakingOptions& options) {
  PaintedSurface surface = find_painted_surface(mesh).surface;
  ChartLayout layout = lay_out(surface, options.size);
  surface.texels = std::move(layout.texels);
  auto texture = std::make_shared<MeshTexture>();
  texture->image = blank(options.size);
  if (options.normal_map) texture->normal_map = blank(options.size);
  texture->corners.reserve(surface.texels.size());
  for (const Texels& at : surface.texels) {
    auto& corners = texture->corners.emplace_back();
    for (std::size_t i = 0; i < 3; ++i) corners[i] = at[i] / static_cast<float>(options.size);
  }
  mesh.texture = texture;
  mesh.normals = vertex_cloud(mesh).normals;
  std::optional<NormalFrames> frames;
  if (options.normal_map) frames.emplace(mesh);
  const NearSurface source(coloured);
  const auto spacing = static_cast<float>(1 / layout.texels_per_unit);
  // Charts do not overlap, so that no two triangles share a texel.
  for_each_piece(surface.triangles.size(), options.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t face = begin; face < end; ++face) {
      bake_face(surface, face, source, spacing, frames ? &*frames : nullptr, *texture);
    }
  });
  fill_gaps(texture->image);
  if (options.normal_map) fill_gaps(texture->normal_map);
  mesh.colours.clear();
  return mesh;
}

}  // namespace p2mpp
