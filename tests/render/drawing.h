#pragma once

#include "render/picture.h"
#include "support/pixels.h"
#include "support/ray_tracer.h"
#include "support/test_meshes.h"

namespace p2mpp {

/// A sphere around a point.
inline TriangleMesh ball(float radius, const Eigen::Vector3f& centre = Eigen::Vector3f::Zero(), int subdivisions = 3) {
  TriangleMesh mesh = testing::icosphere(subdivisions);
  for (Eigen::Vector3f& vertex : mesh.vertices) vertex = radius * vertex + centre;
  return mesh;
}

}  // namespace p2mpp
