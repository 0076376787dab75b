#pragma once

#include <Eigen/Core>
#include <string>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Why two meshes are not of one template (one clause), empty if they are: as many vertices, and the same triangles,
/// each with the same corners in any winding.
[[nodiscard]] std::string describe_difference(const TriangleMesh& a, const TriangleMesh& b);

/// Vertices of frames that go evenly from one mesh to the other [frames, 3 * V], x y z of a vertex side by side; the
/// first and the last are exactly the meshes'. Expects as many vertices in both and at least two frames.
using MorphFrames = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
[[nodiscard]] MorphFrames morph(const Points& from, const Points& to, int frames);

/// A frame's vertices.
[[nodiscard]] Points points_of(const MorphFrames& frames, int frame);

}  // namespace p2mpp
