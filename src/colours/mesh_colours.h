#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "p2mpp/image.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Looks colours up in a texture and its reductions (mip levels). Thread-safe.
class TextureLookup {
 public:
  /// Precondition: the image has pixels.
  explicit TextureLookup(const Image& image);

  /// The linear colour at a place, (0, 0) the upper left corner and (1, 1) the lower right; outside, the texture
  /// repeats. `texels`: how many of the image's texels a sample covers one way.
  [[nodiscard]] Eigen::Vector3f at(const Eigen::Vector2f& uv, float texels) const;

  [[nodiscard]] int width() const { return levels_.front().width; }
  [[nodiscard]] int height() const { return levels_.front().height; }

 private:
  std::vector<Image> levels_;  ///< each half as large as the one before
};

/// Whether a mesh has a texture for all its triangles, or a colour for each vertex.
[[nodiscard]] bool has_texture(const TriangleMesh& mesh);
[[nodiscard]] bool has_colours(const TriangleMesh& mesh);
[[nodiscard]] bool has_normal_map(const TriangleMesh& mesh);

/// Where the corners of triangles are in a mesh's texture. `triangles`: the mesh's, some of them turned over.
/// Precondition: has_texture().
[[nodiscard]] std::vector<std::array<Eigen::Vector2f, 3>> texture_corners(const TriangleMesh& mesh,
                                                                          std::span<const Triangle> triangles);

/// Looks up the colours of a mesh: its texture, or the colours of its vertices. Thread-safe.
class MeshColours {
 public:
  /// `triangles`: the mesh's, some of them turned over. Precondition: has_texture() or has_colours().
  MeshColours(const TriangleMesh& mesh, std::span<const Triangle> triangles);
  explicit MeshColours(const TriangleMesh& mesh) : MeshColours(mesh, mesh.triangles) {}

  /// At a point of a triangle, linear. weights: of its corners; `spacing`: between samples, in the mesh's unit.
  [[nodiscard]] Eigen::Vector3f at(std::uint32_t triangle, const std::array<float, 3>& weights, float spacing) const;

  /// Of a vertex, linear. Precondition: there is no texture.
  [[nodiscard]] const Eigen::Vector3f& of_vertex(std::uint32_t vertex) const { return vertices_[vertex]; }

 private:
  std::optional<TextureLookup> texture_;
  std::vector<std::array<Eigen::Vector2f, 3>> corners_;  // of triangles, in the texture
  std::vector<float> texels_per_unit_;                   // of triangles
  Points vertices_;
  std::vector<Triangle> triangles_;
};

}  // namespace p2mpp
