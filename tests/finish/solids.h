#pragma once

#include "p2mpp/triangle_mesh.h"
#include "support/test_meshes.h"

namespace p2mpp::testing {

/// A box of N x N x N quads, wound outward.
inline TriangleMesh box(const Eigen::Vector3f& low, const Eigen::Vector3f& high, int parts = 1) {
  TriangleMesh mesh;
  std::map<std::array<int, 3>, std::int32_t> numbers;
  const auto vertex = [&](const std::array<int, 3>& place) {
    const auto [known, is_new] = numbers.try_emplace(place, static_cast<std::int32_t>(mesh.vertices.size()));
    if (is_new) {
      const Eigen::Vector3f share(static_cast<float>(place[0]), static_cast<float>(place[1]),
                                  static_cast<float>(place[2]));
      mesh.vertices.push_back(low + (high - low).cwiseProduct(share / static_cast<float>(parts)));
    }
    return known->second;
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const bool at_end : {false, true}) {
      for (int i = 0; i < parts; ++i) {
        for (int j = 0; j < parts; ++j) {
          const auto corner = [&](int u, int v) {
            std::array<int, 3> place{};
            place[axis] = at_end ? parts : 0;
            place[(axis + 1) % 3] = i + u;
            place[(axis + 2) % 3] = j + v;
            return vertex(place);
          };
          std::array<std::int32_t, 4> quad = {corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)};
          if (!at_end) std::swap(quad[1], quad[3]);
          mesh.triangles.push_back({quad[0], quad[1], quad[2]});
          mesh.triangles.push_back({quad[0], quad[2], quad[3]});
        }
      }
    }
  }
  return mesh;
}

/// The same surface, wound the other way.
inline TriangleMesh turned_over(TriangleMesh mesh) {
  for (Triangle& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
  return mesh;
}

}  // namespace p2mpp::testing
