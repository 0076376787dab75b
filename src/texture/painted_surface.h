#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <vector>

#include "geometry/edge_uses.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

using Texels = std::array<Eigen::Vector2f, 3>;  ///< of a triangle's corners, in texels from the upper left

/// A mesh whose vertices at one place are one. Triangles without area have no normal and count for nothing.
struct PaintedSurface {
  Points vertices;
  std::vector<Triangle> triangles;             ///< wound consistently where that is possible
  std::vector<Texels> texels;                  ///< of the triangles; empty if there is no texture
  Points normals;                              ///< of triangles, unit; zero without area
  std::vector<float> areas;                    ///< of triangles
  std::vector<std::array<int, 3>> neighbours;  ///< of triangles, across the edge after each corner; -1: none or several
  TriangleFans faces_of;                       ///< the triangles around each vertex

  [[nodiscard]] const Eigen::Vector3f& corner(std::size_t face, std::size_t i) const {
    return vertices[static_cast<std::size_t>(triangles[face][i])];
  }
  [[nodiscard]] Eigen::Vector3f middle(std::size_t face) const {
    return (corner(face, 0) + corner(face, 1) + corner(face, 2)) / 3;
  }
  [[nodiscard]] double area() const;
};

/// The surface of a mesh, and the vertex that each of the mesh's vertices became.
struct WeldedSurface {
  PaintedSurface surface;
  std::vector<std::int32_t> vertex_of;
};
[[nodiscard]] WeldedSurface painted_surface_of(const TriangleMesh& mesh);

/// Each triangle in four, with a vertex in the middle of each edge.
[[nodiscard]] PaintedSurface subdivided(const PaintedSurface& surface);

}  // namespace p2mpp
