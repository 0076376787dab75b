#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

using Texels = std::array<Eigen::Vector2f, 3>;  ///< of a triangle's corners, in texels from the upper left

/// Lists of numbers, one after the other.
struct Lists {
  std::vector<std::uint32_t> begin;  ///< [N + 1] places in `items`
  std::vector<std::uint32_t> items;

  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t i) const {
    return std::span(items).subspan(begin[i], begin[i + 1] - begin[i]);
  }
};

/// A mesh whose vertices at one place are one. Triangles without area have no normal and count for nothing.
struct PaintedSurface {
  Points vertices;
  std::vector<Triangle> triangles;             ///< wound consistently where that is possible
  std::vector<Texels> texels;                  ///< of the triangles; empty if there is no texture
  Points normals;                              ///< of triangles, unit; zero without area
  std::vector<float> areas;                    ///< of triangles
  std::vector<std::array<int, 3>> neighbours;  ///< of triangles, across the edge after each corner; -1: none or several
  Lists faces_of;                              ///< the triangles around each vertex

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
