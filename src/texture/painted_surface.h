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
[[nodiscard]] WeldedSurface find_painted_surface(const TriangleMesh& mesh);

/// Each triangle in four, with a vertex in the middle of each edge.
[[nodiscard]] PaintedSurface subdivided(const PaintedSurface& surface);

/// Completes the colours of vertices [V]: where `known` is false, each becomes the mean of its neighbours'. A part of
/// the surface that has no known colour takes the mean of all known ones.
void diffuse_colours(const PaintedSurface& surface, const std::vector<bool>& known,
                     std::vector<Eigen::Array3f>& colours);

/// Fades the colours of vertices [V] to a neutral grey where they are far from those that are known along the surface:
/// from 1% of its diagonal on, wholly at 4%. So colours that are made up do not pass for what photographs show, and
/// small gaps stay filled.
void mark_unknown(const PaintedSurface& surface, const std::vector<bool>& known, std::vector<Eigen::Array3f>& colours);

}  // namespace p2mpp
