#pragma once

#include <gtest/gtest.h>

#include "render/picture.h"
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

struct Rgba {
  int red, green, blue, alpha;
};

inline Rgba pixel(const Image& image, int column, int row) {
  const std::uint8_t* rgba = &image.rgba[4 * static_cast<std::size_t>(row * image.width + column)];
  return {rgba[0], rgba[1], rgba[2], rgba[3]};
}

}  // namespace p2mpp
