#pragma once

#include <cstddef>
#include <vector>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// What has to be turned over so that neighbours, the triangles of an edge that exactly two share, agree.
struct Winding {
  std::vector<bool> flips;             ///< [F]; the first triangle of each component is left as it is
  std::vector<std::size_t> component;  ///< [F] of each triangle, from 0: what is connected by such edges
  std::size_t component_count = 0;
  bool orientable = true;  ///< false where no choice makes all neighbours agree
};
[[nodiscard]] Winding find_winding(const std::vector<Triangle>& triangles);

/// The same triangles in the same order, wound consistently and so that each component's volume is not negative: any
/// mesh can be drawn so, open, of several parts or with a published face list's mixed winding. Expects indices in
/// range.
[[nodiscard]] std::vector<Triangle> wound_for_display(const TriangleMesh& mesh);

/// Whether every edge has exactly two triangles.
[[nodiscard]] bool is_closed(const std::vector<Triangle>& triangles);

}  // namespace p2mpp
