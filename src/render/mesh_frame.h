#pragma once

#include "p2mpp/camera.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Whether all points lie in front of a camera at the origin that looks along -z, their middle near the centre of its
/// picture: such a mesh is in the frame of a sample's first camera, as the network gives it. A mesh that surrounds the
/// origin, as in the world's frame, is not.
[[nodiscard]] bool is_in_front_of_camera(const Points& points);

/// The diagonal of the points' bounding box; of a single point a little of its distance from the origin, so that there
/// is something to see. Positive. Expects a point.
[[nodiscard]] float object_size(const Points& points);

/// The radius of the spheres that a cloud's points are drawn as; 0 for a mesh with triangles. Expects a point.
[[nodiscard]] float point_radius(const TriangleMesh& mesh);

/// Points of a camera's frame in the world's, y up.
[[nodiscard]] Points world_from_camera(const Points& points, const CameraRow& row);

}  // namespace p2mpp
