#pragma once

#include <Eigen/Core>
#include <span>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Points as floats around an origin: a point is at origin + point.
struct PlacedPoints {
  Points points;
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
};

/// Rounds points to floats. The origin is zero, unless floats from zero would lose digits that show: more than a
/// 260,000th of the points' extent, as map coordinates (UTM) do. Then it is near the points' middle, and exact:
/// vertices of any precision can be added to it in double. Precondition: the points are finite, also as floats.
[[nodiscard]] PlacedPoints placed(std::span<const Eigen::Vector3d> points);

/// Vertex i of a mesh, in double.
[[nodiscard]] inline Eigen::Vector3d placed_vertex(const TriangleMesh& mesh, std::size_t i) {
  return mesh.origin + mesh.vertices[i].cast<double>();
}

/// Gives a mesh another origin and moves its vertices against it, so that the shape stays where it is. Shapes that are
/// compared must have one origin.
void set_origin(TriangleMesh& mesh, const Eigen::Vector3d& origin);

}  // namespace p2mpp
