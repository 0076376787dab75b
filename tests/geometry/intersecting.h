#pragma once

#include "geometry/triangle_intersection.h"

namespace p2mpp::testing {

/// The number of pairs of triangles that intersect and share no vertex, by trying all.
inline std::size_t intersecting(const TriangleMesh& mesh) {
  std::vector<TriangleCorners> corners;
  for (const Triangle& triangle : mesh.triangles) corners.emplace_back(mesh.vertices, triangle);
  std::size_t count = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      count += intersect(corners[i], corners[j]) && !share_vertex(mesh.triangles[i], mesh.triangles[j]);
    }
  }
  return count;
}

}  // namespace p2mpp::testing
