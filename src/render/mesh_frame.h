#pragma once

#include "p2mpp/camera.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Whether a mesh is in the frame of a sample's first camera, like the network's meshes. All points of such a mesh are
/// in front of a camera at the origin that looks along -z, and their middle is near the centre of its picture. False
/// for a mesh around the origin, as in the world frame.
[[nodiscard]] bool is_in_front_of_camera(const Points& points);

/// The diagonal of the points' bounding box, always positive. A single point has a fraction of its distance from the
/// origin, so that it is visible. Precondition: at least one point.
[[nodiscard]] float object_size(const Points& points);

/// The radius of the spheres that represent the points of a cloud; 0 for a mesh with triangles. Precondition: at least
/// one point.
[[nodiscard]] float point_radius(const TriangleMesh& mesh);

/// Transforms points from a camera's frame to the world frame (y up).
[[nodiscard]] Points world_from_camera(const Points& points, const Camera& camera);

}  // namespace p2mpp
