#pragma once

#include <Eigen/Core>
#include <vector>

#include "colours/uv_seams.h"

namespace p2mpp {

/// Tangents of the vertices [N], as glTF's: x, y and z of unit length along the picture's rows, at right angles to the
/// normal; w is 1 or -1, and cross(normal, tangent) * w points to the picture's upper side. Precondition: the mesh has
/// normals.
[[nodiscard]] std::vector<Eigen::Vector4f> tangents_of(const SeamedMesh& mesh);

/// The third direction of the frame in which a normal map's directions are.
[[nodiscard]] Eigen::Vector3f bitangent_of(const Eigen::Vector3f& normal, const Eigen::Vector4f& tangent);

}  // namespace p2mpp
