#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

#include "p2mpp/triangle_mesh.h"
#include "rays/ray_scene.h"

namespace p2mpp {

/// Measures walls: from a place of the surface straight inward to the other side. Two sides are a wall if they are less
/// than 30 degrees from parallel. Thread-safe.
class WallGauge {
 public:
  /// Throws Error if this build has no ray tracer. Precondition: closed, wound outward, finite vertices.
  explicit WallGauge(const TriangleMesh& mesh);

  /// The wall's thickness at each place [N], infinite where there is none. inward: unit vectors. Up to `threads`
  /// threads.
  [[nodiscard]] std::vector<float> thickness(std::span<const Eigen::Vector3f> places,
                                             std::span<const Eigen::Vector3f> inward, int threads) const;

  [[nodiscard]] const Eigen::Vector3f& normal(std::size_t triangle) const { return normals_[triangle]; }

 private:
  RayScene scene_;
  std::vector<Eigen::Vector3f> normals_;  // of triangles, unit length
  float lead_;                            // rays start so far below the surface
};

/// The walls behind places that are spread evenly over a mesh: at least one a triangle.
struct MeasuredWalls {
  Points places;
  std::vector<std::size_t> triangles;  ///< of the places
  std::vector<float> thickness;        ///< in the mesh's unit; infinite where there is no wall
};
[[nodiscard]] MeasuredWalls measure_walls(const TriangleMesh& mesh, const WallGauge& gauge, int threads);

/// The thinnest of them.
struct ThinnestWall {
  double thickness = 0;
  Eigen::Vector3d place = Eigen::Vector3d::Zero();  ///< without the mesh's origin
};

/// Empty if there is no wall at all. As WallGauge.
[[nodiscard]] std::optional<ThinnestWall> thinnest_wall(const TriangleMesh& mesh, int threads);

/// Moves the vertices of thin walls outward until none is thinner than `wall`, as far as they meet no other face.
/// Vertices on the plane z = 0 stay on it, and the others above it. Sharp edges are thin and stay. Triangles, texture
/// and colours stay as they are. Throws Error if this build has no ray tracer. Precondition: a sound mesh
/// (MeshCertificate).
[[nodiscard]] TriangleMesh with_thick_walls(TriangleMesh mesh, double wall, int threads = 1);

}  // namespace p2mpp
