#pragma once

#include <gtest/gtest.h>

#include "render/picture.h"
#include "support/pixels.h"
#include "support/test_meshes.h"

/// At the front of a test that needs a ray tracer.
#define NEEDS_DRAWING() \
  if (!::p2mpp::can_draw()) GTEST_SKIP() << "this build has no ray tracer"

namespace p2mpp {

/// A sphere around a point.
inline TriangleMesh ball(float radius, const Eigen::Vector3f& centre = Eigen::Vector3f::Zero(), int subdivisions = 3) {
  TriangleMesh mesh = testing::icosphere(subdivisions);
  for (Eigen::Vector3f& vertex : mesh.vertices) vertex = radius * vertex + centre;
  return mesh;
}

}  // namespace p2mpp
