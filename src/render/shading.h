#pragma once

#include <Eigen/Core>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

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
