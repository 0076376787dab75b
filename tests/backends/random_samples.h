#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "backends/self_check/random_sample.h"

namespace p2mpp {

/// random_sample() with general pinholes: any roll, aimed a little beside the object, fx != fy, the principal point off
/// the middle, and a network's frame that is no view's.
inline Sample random_pinhole_sample(unsigned seed, std::size_t view_count) {
  Sample sample = random_sample(seed, view_count);
  Draw draw(seed);
  for (View& view : sample.views) {
    view.row.reset();
    view.camera = drawn_camera(draw, 0.65, 0.9);
  }
  sample.network_frame = drawn_camera(draw, 0.75, 0.85);
  return sample;
}

/// An open surface where random_sample() has its object, in the world: a wavy sheet of side x side vertices.
inline TriangleMesh wavy_sheet(std::int32_t side) {
  TriangleMesh sheet;
  for (std::int32_t i = 0; i < side * side; ++i) {
    const float x = 0.4F * static_cast<float>(i % side) / static_cast<float>(side) - 0.2F;
    const float y = 0.4F * static_cast<float>(i / side) / static_cast<float>(side) - 0.2F;
    sheet.vertices.emplace_back(x, y, 0.05F * std::sin(20 * x) * std::cos(15 * y));
    if (i % side + 1 == side || i / side + 1 == side) continue;
    sheet.triangles.push_back({i, i + 1, i + side});
    sheet.triangles.push_back({i + side, i + 1, i + side + 1});
  }
  return sheet;
}

inline Sample with_initial_mesh(Sample sample, TriangleMesh mesh) {
  sample.initial_mesh = std::make_shared<const TriangleMesh>(std::move(mesh));
  return sample;
}

}  // namespace p2mpp
