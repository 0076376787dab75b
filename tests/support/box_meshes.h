#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "fit/mesh_silhouette.h"
#include "geometry/cameras/pinhole.h"
#include "geometry/distances/distance_field.h"
#include "p2mpp/triangle_mesh.h"
#include "support/drawn_masks.h"

namespace p2mpp::testing {

/// A box with the given corners, wound outward, added to a mesh.
inline void add_box(const Eigen::Vector3f& lower, const Eigen::Vector3f& upper, TriangleMesh& mesh) {
  const auto first = static_cast<std::int32_t>(mesh.vertices.size());
  for (int i = 0; i < 8; ++i) {
    mesh.vertices.emplace_back(i & 1 ? upper.x() : lower.x(), i & 2 ? upper.y() : lower.y(),
                               i & 4 ? upper.z() : lower.z());
  }
  const std::vector<Triangle> faces = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                       {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  for (const auto& [a, b, c] : faces) {
    mesh.triangles.push_back({first + a, first + b, first + c});
  }
}

/// The distances to a box, with one error everywhere.
inline DistanceField distances_to_box(const VoxelGrid& grid, const Eigen::Vector3d& middle, const Eigen::Vector3d& half,
                                      float error = 0) {
  DistanceField field{.grid = grid, .distances = {}, .errors = std::vector<float>(grid.size(), error)};
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const Eigen::Vector3d beyond = (grid.centre(i) - middle).cwiseAbs() - half;
    field.distances.push_back(static_cast<float>(beyond.cwiseMax(0).norm() + std::min(0.0, beyond.maxCoeff())));
  }
  return field;
}

/// A plate on four legs, 0.3 long.
inline TriangleMesh table(float legs = 0.2F) {
  TriangleMesh mesh;
  add_box({-0.15F, 0.08F, -0.12F}, {0.15F, 0.10F, 0.12F}, mesh);
  for (const float x : {-0.14F, 0.12F}) {
    for (const float z : {-0.11F, 0.09F}) add_box({x, 0.08F - legs, z}, {x + 0.02F, 0.085F, z + 0.02F}, mesh);
  }
  return mesh;
}

/// The silhouettes of a mesh in cameras_around(views).
inline std::vector<FitMask> masks_of(const TriangleMesh& mesh, int views) {
  constexpr int kSize = 112, kSamples = 4;
  std::vector<FitMask> masks;
  for (const Camera& camera : cameras_around(views)) {
    MeshSilhouette silhouette(kSize, kSamples);
    silhouette.draw(project_vertices(mesh.vertices, pinhole_of(camera, kSize).cast<float>()), mesh.triangles);
    masks.push_back(sampled_mask(kSize, [&](double x, double y) {
      return silhouette.covers({static_cast<float>(x), static_cast<float>(y)});
    }));
    masks.back().camera = camera;
  }
  return masks;
}

}  // namespace p2mpp::testing
