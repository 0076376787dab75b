#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <string>

#include "finish/wall_thickness.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// What a stranger may check of a mesh as a solid, in the mesh's unit. Vertices at one place count as one.
struct MeshCertificate {
  std::size_t vertices = 0, faces = 0;
  std::size_t open_edges = 0;          ///< with one triangle
  std::size_t crowded_edges = 0;       ///< with more than two triangles
  std::size_t crowded_vertices = 0;    ///< where several fans of triangles meet
  std::size_t turned_edges = 0;        ///< whose two triangles traverse them in the same direction
  std::size_t intersecting_faces = 0;  ///< by exact predicates: see find_self_intersections()
  bool all_pairs_tested = true;        ///< false: there may be more of them
  std::size_t degenerate_faces = 0;    ///< without an area, exactly
  double area = 0;
  Eigen::Vector3d size = Eigen::Vector3d::Zero();  ///< of the box along the axes

  // Only of a mesh that is closed and whose neighbours are wound alike:
  std::size_t bodies = 0, voids = 0, buried = 0, inverted = 0;  ///< see SolidPart
  std::optional<double> volume;
  std::optional<ThinnestWall> wall;  ///< also empty if this build has no ray tracer

  [[nodiscard]] bool closed() const { return open_edges == 0; }
  [[nodiscard]] bool manifold() const { return crowded_edges == 0 && crowded_vertices == 0; }
  [[nodiscard]] bool oriented() const { return turned_edges == 0 && inverted == 0; }
  [[nodiscard]] bool free_of_intersections() const { return intersecting_faces == 0 && all_pairs_tested; }
  /// All of these, and no degenerate face.
  [[nodiscard]] bool sound() const {
    return closed() && manifold() && oriented() && free_of_intersections() && degenerate_faces == 0;
  }
  /// The first thing that is wrong, "12 edges with one face; expected a closed surface"; empty if sound().
  [[nodiscard]] std::string problem() const;
};

/// Throws InputError unless the mesh has triangles, finite vertices, and indices in range.
[[nodiscard]] MeshCertificate certify(const TriangleMesh& mesh, int threads = 1);

}  // namespace p2mpp
