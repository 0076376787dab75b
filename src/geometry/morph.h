#pragma once

#include <Eigen/Core>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Throws InputError (one clause) if two meshes are not of one template. Meshes of one template have equally many
/// vertices and the same triangles, in any winding.
void check_same_template(const TriangleMesh& a, const TriangleMesh& b);

/// The vertices of each frame of a linear interpolation [frames, 3 * V], x y z of a vertex adjacent. The first and the
/// last frame are exactly the two meshes. Precondition: equally many vertices, and at least two frames.
using MorphFrames = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
[[nodiscard]] MorphFrames morph(const Points& from, const Points& to, int frames);

/// The vertices of one frame [V].
[[nodiscard]] Points frame_vertices(const MorphFrames& frames, int frame);

}  // namespace p2mpp
