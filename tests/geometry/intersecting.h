#pragma once

#include "geometry/intersection/triangle_intersection.h"

namespace p2mpp::testing {

/// The number of pairs of triangles that intersect, by trying all.
inline std::size_t intersecting(const TriangleMesh& mesh) {
  std::vector<TriangleCorners> corners;
  for (const Triangle& triangle : mesh.triangles) corners.emplace_back(mesh.vertices, triangle);
  std::size_t count = 0;
  for (std::size_t a = 0; a < corners.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const auto are_one = [&](std::size_t i, std::size_t j) { return mesh.triangles[a][i] == mesh.triangles[b][j]; };
      count += intersect(corners[a], corners[b], shared_corners(are_one));
    }
  }
  return count;
}

}  // namespace p2mpp::testing
