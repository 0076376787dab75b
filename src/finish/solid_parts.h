#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// What a connected part of a closed surface is to the solid that the whole bounds.
enum class SolidPart : std::uint8_t {
  kBody,      ///< the outside of a body
  kVoid,      ///< the wall of a hollow inside a body
  kBuried,    ///< inside a body: it bounds nothing
  kInverted,  ///< its triangles face the inside of what it encloses
};

struct SolidParts {
  std::vector<SolidPart> kinds;
  std::vector<std::size_t> of_triangles;  ///< [F] the number of each triangle's part

  [[nodiscard]] std::size_t count(SolidPart kind) const;
};

/// The parts of a surface, by its winding numbers. Triangles that share an edge with one other are of one part.
/// Precondition: closed, wound consistently, finite vertices.
[[nodiscard]] SolidParts solid_parts(const TriangleMesh& mesh);

/// The mesh with some of its triangles, with their places in the texture, and the vertices that these name. No normals.
[[nodiscard]] TriangleMesh with_triangles(const TriangleMesh& mesh, std::span<const Triangle> triangles,
                                          std::span<const std::size_t> sources);

/// The mesh with one vertex a place, with its texture or colours. Triangles that name a place twice and vertices that
/// no triangle names are left out.
[[nodiscard]] TriangleMesh joined_at_places(const TriangleMesh& mesh);

/// The mesh without hollows, and without what is inside of bodies. Precondition: as solid_parts().
[[nodiscard]] TriangleMesh without_inside(TriangleMesh mesh);

}  // namespace p2mpp
