#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "p2mpp/metrics.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp::testing {

inline Edge sorted_edge(std::int32_t a, std::int32_t b) { return {std::min(a, b), std::max(a, b)}; }

inline TriangleMesh tetrahedron() {
  return {.vertices = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}},
          .triangles = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}}};
}

inline TriangleMesh icosahedron() {
  const auto t = std::numbers::phi_v<float>;
  TriangleMesh mesh{.vertices = {{-1, t, 0},
                                 {1, t, 0},
                                 {-1, -t, 0},
                                 {1, -t, 0},
                                 {0, -1, t},
                                 {0, 1, t},
                                 {0, -1, -t},
                                 {0, 1, -t},
                                 {t, 0, -1},
                                 {t, 0, 1},
                                 {-t, 0, -1},
                                 {-t, 0, 1}},
                    .triangles = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                                  {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                                  {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}}};
  for (Eigen::Vector3f& vertex : mesh.vertices) vertex.normalize();
  return mesh;
}

/// An icosahedron whose triangles are split in four, wound outward: 12, 42, 162, ... vertices on
/// the unit sphere.
inline TriangleMesh icosphere(int subdivisions) {
  TriangleMesh mesh = icosahedron();
  for (int i = 0; i < subdivisions; ++i) {
    std::map<Edge, std::int32_t> midpoints;
    const auto midpoint = [&](std::int32_t a, std::int32_t b) {
      const auto next = static_cast<std::int32_t>(mesh.vertices.size());
      const auto [found, is_new] = midpoints.try_emplace(sorted_edge(a, b), next);
      if (is_new) {
        const auto& from = mesh.vertices[static_cast<std::size_t>(a)];
        const auto& to = mesh.vertices[static_cast<std::size_t>(b)];
        mesh.vertices.push_back((from + to).normalized());
      }
      return found->second;
    };
    std::vector<Triangle> finer;
    for (const auto& [a, b, c] : mesh.triangles) {
      const std::int32_t ab = midpoint(a, b), bc = midpoint(b, c), ca = midpoint(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}});
    }
    mesh.triangles = std::move(finer);
  }
  return mesh;
}

/// A closed surface of genus 1, wound outward: rings times sides vertices, each at least 3.
inline TriangleMesh torus(int rings, int sides) {
  TriangleMesh mesh;
  const auto at = [&](int ring, int side) { return (ring % rings) * sides + side % sides; };
  for (int i = 0; i < rings; ++i) {
    for (int j = 0; j < sides; ++j) {
      const double u = 2 * std::numbers::pi * i / rings;
      const double v = 2 * std::numbers::pi * j / sides;
      const double radius = 2 + std::cos(v);
      const Eigen::Vector3d vertex(radius * std::cos(u), radius * std::sin(u), std::sin(v));
      mesh.vertices.push_back(vertex.cast<float>());
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return mesh;
}

/// The projective plane: a closed connected manifold with one side.
inline TriangleMesh projective_plane() {
  TriangleMesh mesh;
  for (int i = 0; i < 6; ++i) {
    const auto angle = static_cast<float>(i);
    mesh.vertices.emplace_back(std::cos(angle), std::sin(angle), 0.1f * angle);
  }
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}, {0, 5, 1},
                    {1, 2, 4}, {2, 3, 5}, {3, 4, 1}, {4, 5, 2}, {5, 1, 3}};
  return mesh;
}

/// Both surfaces in one mesh, without a common vertex.
inline TriangleMesh join(TriangleMesh first, const TriangleMesh& second) {
  const auto offset = static_cast<std::int32_t>(first.vertices.size());
  first.vertices.insert(first.vertices.end(), second.vertices.begin(), second.vertices.end());
  for (const auto& [a, b, c] : second.triangles) {
    first.triangles.push_back({a + offset, b + offset, c + offset});
  }
  return first;
}

/// The mesh, each coordinate times its factor.
inline TriangleMesh scaled(TriangleMesh mesh, const Eigen::Vector3f& factors) {
  for (Eigen::Vector3f& vertex : mesh.vertices) vertex = vertex.cwiseProduct(factors);
  return mesh;
}

inline TriangleMesh scaled(TriangleMesh mesh, float factor) {
  return scaled(std::move(mesh), Eigen::Vector3f::Constant(factor));
}

/// Each triangle with vertices of its own, as files split them at seams.
inline TriangleMesh torn(const TriangleMesh& mesh) {
  TriangleMesh result;
  for (const Triangle& triangle : mesh.triangles) {
    const auto first = static_cast<std::int32_t>(result.vertices.size());
    result.triangles.push_back({first, first + 1, first + 2});
    for (const std::int32_t i : triangle) result.vertices.push_back(mesh.vertices[static_cast<std::size_t>(i)]);
  }
  return result;
}

/// Turns each triangle over with probability 1/2.
inline void flip_some(std::vector<Triangle>& triangles, std::mt19937_64& generator) {
  for (Triangle& triangle : triangles) {
    if (generator() % 2 == 0) std::swap(triangle[1], triangle[2]);
  }
}

inline std::int32_t draw_below(std::size_t count, std::mt19937_64& generator) {
  return static_cast<std::int32_t>(generator() % count);
}

/// Swaps the diagonal of two neighbouring triangles where that keeps a simple closed manifold.
inline void flip_random_edge(TriangleMesh& mesh, std::mt19937_64& generator) {
  std::map<Edge, std::size_t> triangle_of;  // directed edge -> its triangle
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      triangle_of[{mesh.triangles[t][k], mesh.triangles[t][(k + 1) % 3]}] = t;
    }
  }
  const auto first = static_cast<std::size_t>(draw_below(mesh.triangles.size(), generator));
  const auto side = static_cast<std::size_t>(draw_below(3, generator));
  const auto a = mesh.triangles[first][side];
  const auto b = mesh.triangles[first][(side + 1) % 3];
  const auto c = mesh.triangles[first][(side + 2) % 3];
  const std::size_t second = triangle_of.at({b, a});
  const Triangle& across = mesh.triangles[second];
  const auto d = *std::find_if(across.begin(), across.end(), [&](auto v) { return v != a && v != b; });
  if (triangle_of.contains({c, d}) || triangle_of.contains({d, c})) return;
  mesh.triangles[first] = {c, a, d};
  mesh.triangles[second] = {d, b, c};
}

/// Other numbers for the vertices, another order of the triangles, another first corner in each:
/// the same surface.
inline void relabel(TriangleMesh& mesh, std::mt19937_64& generator) {
  std::vector<std::int32_t> label(mesh.vertices.size());
  for (std::size_t i = 0; i < label.size(); ++i) label[i] = static_cast<std::int32_t>(i);
  std::shuffle(label.begin(), label.end(), generator);
  Points vertices(mesh.vertices.size());
  for (std::size_t i = 0; i < label.size(); ++i) {
    vertices[static_cast<std::size_t>(label[i])] = mesh.vertices[i];
  }
  mesh.vertices = std::move(vertices);
  for (Triangle& triangle : mesh.triangles) {
    for (std::int32_t& vertex : triangle) vertex = label[static_cast<std::size_t>(vertex)];
    std::rotate(triangle.begin(), triangle.begin() + draw_below(3, generator), triangle.end());
  }
  std::shuffle(mesh.triangles.begin(), mesh.triangles.end(), generator);
}

/// A closed, consistently wound surface of genus 0 with random valences: 12, 42 or 162 vertices.
inline TriangleMesh random_sphere(std::mt19937_64& generator) {
  TriangleMesh mesh = icosphere(draw_below(3, generator));
  for (std::size_t i = 0; i < 20; ++i) flip_random_edge(mesh, generator);
  relabel(mesh, generator);
  return mesh;
}

/// With the normals that its surface has at its vertices.
inline TriangleMesh with_normals(TriangleMesh mesh) {
  mesh.normals = vertex_cloud(mesh).normals;
  return mesh;
}

/// As every reader leaves a mesh, however damaged its file was.
inline void expect_whole(const TriangleMesh& mesh) {
  for (const Eigen::Vector3f& vertex : mesh.vertices) ASSERT_TRUE(vertex.allFinite());
  for (const Triangle& triangle : mesh.triangles) {
    for (const std::int32_t vertex : triangle) ASSERT_LT(static_cast<std::size_t>(vertex), mesh.vertices.size());
  }
}

}  // namespace p2mpp::testing
