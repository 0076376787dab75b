#pragma once

#include <cstddef>
#include <vector>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The triangles to flip so that neighbours agree in their winding. Neighbours share an edge that no third triangle
/// has.
struct Winding {
  std::vector<bool> flips;             ///< [F]; false for the first triangle of each component
  std::vector<std::size_t> component;  ///< [F] connected component of each triangle, from 0
  std::size_t component_count = 0;
  bool orientable = true;  ///< false if no choice makes all neighbours agree
};
[[nodiscard]] Winding find_winding(const std::vector<Triangle>& triangles);

/// The same triangles in the same order, wound consistently, each component with a volume that is not negative. Works
/// for any mesh: open, of several parts, or with the mixed winding of the published face list. Precondition: indices in
/// range.
[[nodiscard]] std::vector<Triangle> wound_for_display(const TriangleMesh& mesh);

/// Whether every edge has exactly two triangles.
[[nodiscard]] bool is_closed(const std::vector<Triangle>& triangles);

}  // namespace p2mpp
