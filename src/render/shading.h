#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "p2mpp/triangle_mesh.h"
#include "rays/ray_scene.h"

namespace p2mpp {

/// Cosine-distributed directions around z [count], unit length. The set is fixed, so that pictures are deterministic.
/// Source: Hammersley points on the disc (van der Corput sequence, base 2), raised to the hemisphere (Malley).
[[nodiscard]] std::vector<Eigen::Vector3f> cosine_directions(std::size_t count);

/// A rotation that maps z to a unit normal. Source: T. Duff et al., "Building an Orthonormal Basis, Revisited", 2017.
[[nodiscard]] Eigen::Matrix3f basis_around(const Eigen::Vector3f& normal);

/// The visible share of the sky at each point [N]: the cosine-weighted share of directions around the normal in which
/// no surface is nearer than `reach`. It is 1 for a zero normal. Precondition: normals are unit vectors or zero.
[[nodiscard]] std::vector<float> sky_visibility(const RayScene& scene, std::span<const Eigen::Vector3f> points,
                                                std::span<const Eigen::Vector3f> normals, float reach, int threads);

/// The shadow of an object on a horizontal plane below it, under a uniform sky.
class GroundShadow {
 public:
  /// The plane touches the lowest of `points` (y up). Precondition: at least one point, and all are finite.
  GroundShadow(const RayScene& scene, std::span<const Eigen::Vector3f> points, int threads);

  [[nodiscard]] float height() const { return height_; }

  /// 0 if the whole sky is visible, and 1 if no part of it is. Interpolated linearly between the cells of a grid.
  [[nodiscard]] float at(float x, float z) const;

 private:
  static constexpr std::size_t kCells = 64;  ///< per side of the grid

  [[nodiscard]] static float fading(std::size_t cell);

  float height_ = 0;
  float left_ = 0, back_ = 0;      ///< smallest x and z of the grid
  float cell_x_ = 0, cell_z_ = 0;  ///< size of a cell
  std::vector<float> shadow_;      ///< [kCells, kCells], x fastest
};

/// A unit normal for each corner of each triangle [3F], zero if undefined: the area-weighted mean over the triangles
/// around the vertex whose normals differ from this one's by at most `crease_deg` degrees. Edges of a table stay sharp,
/// and a wing is smooth. 0: the triangle's own normal.
[[nodiscard]] Points corner_normals(const TriangleMesh& mesh, float crease_deg);

/// A visible point of a surface. All directions are unit vectors in the world frame.
struct SurfacePoint {
  Eigen::Vector3f normal;  ///< on the viewer's side
  Eigen::Vector3f to_viewer;
  Eigen::Vector3f colour;    ///< of the material, linear
  float sky_visibility = 1;  ///< visible share of the sky, 0 to 1
};

/// A key light from the viewer's upper left, a fill light from the right, and a sky that is brighter above. They turn
/// with the camera, so that the visible side is always lit.
class Lights {
 public:
  /// `axes` are the camera's, as rows: x right, y up, z towards the viewer.
  explicit Lights(const Eigen::Matrix3d& axes);

  /// The light that reaches the viewer, linear RGB.
  [[nodiscard]] Eigen::Vector3f shade(const SurfacePoint& point) const;

 private:
  Eigen::Vector3f key_, fill_;
};

/// The colour of a mesh without vertex colours, linear RGB.
inline const Eigen::Vector3f kPlainColour{0.40F, 0.48F, 0.60F};

}  // namespace p2mpp
