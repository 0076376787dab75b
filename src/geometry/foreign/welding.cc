#include "geometry/foreign/welding.h"

#include <array>
#include <bit>
#include <cstddef>
#include <unordered_map>
#include <utility>

#include "p2mpp/metrics.h"

namespace p2mpp {
namespace {

template <std::size_t N>
struct FloatsHash {
  std::size_t operator()(const std::array<float, N>& floats) const {
    std::uint64_t hash = 0;
    for (const float value : floats) {
      hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 0x9E3779B97F4A7C15ULL;
      hash ^= hash >> 29U;
    }
    return static_cast<std::size_t>(hash);
  }
};

/// The first item with the same floats, for each item. -0 is 0.
template <std::size_t N, typename FloatsOf>
std::vector<std::int32_t> first_with_same(std::size_t count, const FloatsOf& to_floats) {
  std::unordered_map<std::array<float, N>, std::int32_t, FloatsHash<N>> first;
  first.reserve(count);
  std::vector<std::int32_t> result;
  result.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::array<float, N> floats = to_floats(i);
    for (float& value : floats) value += 0.0F;
    result.push_back(first.try_emplace(floats, static_cast<std::int32_t>(i)).first->second);
  }
  return result;
}

/// The first vertex with the same place and normal.
std::vector<std::int32_t> first_with_normal(const TriangleMesh& mesh) {
  return first_with_same<6>(mesh.vertices.size(), [&](std::size_t i) -> std::array<float, 6> {
    const Eigen::Vector3f &place = mesh.vertices[i], &normal = mesh.normals[i];
    return {place.x(), place.y(), place.z(), normal.x(), normal.y(), normal.z()};
  });
}

Triangle renamed(const Triangle& triangle, const std::vector<std::int32_t>& names) {
  return {names[static_cast<std::size_t>(triangle[0])], names[static_cast<std::size_t>(triangle[1])],
          names[static_cast<std::size_t>(triangle[2])]};
}

}  // namespace

std::vector<std::int32_t> first_at_place(const Points& vertices) {
  return first_with_same<3>(vertices.size(), [&](std::size_t i) -> std::array<float, 3> {
    return {vertices[i].x(), vertices[i].y(), vertices[i].z()};
  });
}

Welding weld(const TriangleMesh& mesh) {
  const std::vector<std::int32_t> first = first_at_place(mesh.vertices);
  Welding result;
  std::vector<std::int32_t> names(mesh.vertices.size(), -1);  // of the first vertices
  for (const Triangle& triangle : mesh.triangles) {
    const Triangle places = renamed(triangle, first);
    if (places[0] == places[1] || places[1] == places[2] || places[2] == places[0]) continue;
    for (const std::int32_t place : places) names[static_cast<std::size_t>(place)] = 0;
    result.mesh.triangles.push_back(places);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] < 0) continue;
    names[i] = static_cast<std::int32_t>(result.mesh.vertices.size());
    result.mesh.vertices.push_back(mesh.vertices[i]);
  }
  for (Triangle& triangle : result.mesh.triangles) triangle = renamed(triangle, names);
  result.welded.reserve(first.size());
  for (const std::int32_t place : first) result.welded.push_back(names[static_cast<std::size_t>(place)]);
  return result;
}

Points Welding::restored(const Points& points, Points given) const {
  for (std::size_t i = 0; i < welded.size(); ++i) {
    if (welded[i] >= 0) given[i] = points[static_cast<std::size_t>(welded[i])];
  }
  return given;
}

bool has_smooth_seams(const TriangleMesh& mesh) {
  if (mesh.normals.empty()) return false;
  const std::vector<std::int32_t> first = first_with_normal(mesh);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] != static_cast<std::int32_t>(i)) return true;
  }
  return false;
}

TriangleMesh moved(TriangleMesh mesh, Points vertices) {
  if (!mesh.normals.empty()) {
    const std::vector<std::int32_t> first = first_with_normal(mesh);
    TriangleMesh smooth{vertices, mesh.triangles};
    for (Triangle& triangle : smooth.triangles) triangle = renamed(triangle, first);
    const Points normals = vertex_cloud(smooth).normals;
    for (std::size_t i = 0; i < first.size(); ++i) mesh.normals[i] = normals[static_cast<std::size_t>(first[i])];
  }
  mesh.vertices = std::move(vertices);
  return mesh;
}

}  // namespace p2mpp
