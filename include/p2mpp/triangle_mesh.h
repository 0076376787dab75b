#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "p2mpp/export.h"

namespace p2mpp {

using Points = std::vector<Eigen::Vector3f>;   ///< [N,3], contiguous
using Triangle = std::array<std::int32_t, 3>;  ///< vertex indices, from 0
using Edge = std::array<std::int32_t, 2>;      ///< vertex indices, from 0

struct MeshTexture;  // p2mpp/mesh_texture.h

using Colour = std::array<std::uint8_t, 3>;  ///< red, green, blue, in sRGB

struct TriangleMesh {
  Points vertices;
  std::vector<Triangle> triangles;
  Points normals = {};                              ///< of the vertices [V], unit length; empty if unknown
  std::vector<Colour> colours = {};                 ///< of the vertices [V]; empty if unknown
  std::shared_ptr<const MeshTexture> texture = {};  ///< of the triangles; null if there is none
  /// A vertex is at origin + vertex. Files far from the coordinates' origin keep their digits with it. Units and axes
  /// are those of the vertices.
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
};

/// The first problem that check_mesh() found. Problems are checked in this order.
enum class MeshStatus {
  kNoError,
  kEmpty,                ///< no vertex or no triangle
  kNonFiniteVertex,      ///< NaN or infinity
  kVertexOutOfBounds,    ///< a triangle names a vertex that does not exist
  kDegenerateTriangle,   ///< a triangle names a vertex twice
  kUnusedVertex,         ///< a vertex that no triangle names
  kHole,                 ///< an edge with a single triangle
  kNotManifold,          ///< an edge with more than two triangles, or a vertex where two surfaces touch
  kInconsistentWinding,  ///< two triangles traverse their common edge in the same direction
  kNotConnected,         ///< more than one component
};

/// "NoError", "Hole", ...
[[nodiscard]] P2MPP_EXPORT std::string_view to_string(MeshStatus status);

/// A status and its place ("edge 3-7, counted from 1, has 1 triangle; expected 2"), which is empty for kNoError.
/// Vertices and triangles are counted from 1, as in an OBJ file.
struct MeshCheck {
  MeshStatus status = MeshStatus::kNoError;
  std::string detail;
  [[nodiscard]] bool ok() const { return status == MeshStatus::kNoError; }
};

/// Checks that a mesh is one closed, consistently oriented manifold with finite vertices.
/// check_topology() does not check the winding, because published templates mix windings.
[[nodiscard]] P2MPP_EXPORT MeshCheck check_mesh(const TriangleMesh& mesh);
[[nodiscard]] P2MPP_EXPORT MeshCheck check_topology(const TriangleMesh& mesh);

/// The undirected edges of triangles, each once, smaller index first, sorted.
[[nodiscard]] P2MPP_EXPORT std::vector<Edge> unique_edges(const std::vector<Triangle>& triangles);

/// V - E + F, which is 2 for a sphere. Precondition: indices in range.
[[nodiscard]] P2MPP_EXPORT std::int64_t euler_characteristic(const TriangleMesh& mesh);

/// The enclosed volume, positive if triangles are counter-clockwise seen from outside. Precondition: indices in range.
[[nodiscard]] P2MPP_EXPORT double signed_volume(const TriangleMesh& mesh);

/// The same triangles in the same order and with the same first vertex, wound consistently and so that signed_volume()
/// is not negative. Throws InputError unless check_topology() passes and the surface is orientable.
[[nodiscard]] P2MPP_EXPORT std::vector<Triangle> oriented_outward(const TriangleMesh& mesh);

}  // namespace p2mpp
