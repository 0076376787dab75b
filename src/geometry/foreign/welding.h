#pragma once

#include <cstdint>
#include <vector>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The first vertex at the place of each vertex [V]: itself, unless an earlier one has the same coordinates.
[[nodiscard]] std::vector<std::int32_t> first_at_place(const Points& vertices);

/// A mesh as one surface. Files split vertices at the seams of a texture and at the edges of flat faces.
struct Welding {
  /// One vertex a place, in the order of the first. Triangles that name a place twice are left out, and so are vertices
  /// that no triangle names. Vertices and triangles alone.
  TriangleMesh mesh;
  std::vector<std::int32_t> welded;  ///< the vertex of `mesh` of each given vertex [V]; -1: left out

  /// Points of the welded vertices as points of the given ones. Those that were left out stay at `given`.
  [[nodiscard]] Points restored(const Points& points, Points given) const;
};
[[nodiscard]] Welding weld(const TriangleMesh& mesh);

/// Whether vertices share a place and a normal: a smooth surface that is split at a seam.
[[nodiscard]] bool has_smooth_seams(const TriangleMesh& mesh);

/// The mesh with its vertices elsewhere, and all else that it has. If it has normals, they are area-weighted means
/// again: vertices that shared a place and a normal share one. Precondition: as many vertices.
[[nodiscard]] TriangleMesh moved(TriangleMesh mesh, Points vertices);

}  // namespace p2mpp
