#include "engine/initial_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>

namespace p2mpp {
namespace {

bool shows(const Camera& camera, const Eigen::Vector3f& vertex) {
  const Eigen::Vector3d seen = camera.cam_from_world(vertex.cast<double>());
  if (!(seen.z() < 0)) return false;
  const Intrinsics& lens = camera.intrinsics;
  const double row = lens.fy * (-seen.y() / -seen.z()) + lens.cy;
  const double column = lens.fx * (seen.x() / -seen.z()) + lens.cx;
  return row >= 0 && row <= kImageSize && column >= 0 && column <= kImageSize;
}

}  // namespace

std::string describe_problem(const TriangleMesh& mesh) {
  const std::size_t count = mesh.vertices.size();
  if (mesh.triangles.empty()) return "has no triangle; expected a mesh";
  if (count < kMinInitialVertices || count > kMaxInitialVertices) {
    return fmt::format("has {} vertices; expected {} to {}", count, kMinInitialVertices, kMaxInitialVertices);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!mesh.vertices[i].allFinite()) {
      return fmt::format("vertex {}, counted from 1, is not finite; expected three numbers", i + 1);
    }
  }
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const auto& [a, b, c] = mesh.triangles[i];
    for (const std::int32_t vertex : mesh.triangles[i]) {
      if (vertex >= 0 && static_cast<std::size_t>(vertex) < count) continue;
      return fmt::format("triangle {}, counted from 1, names vertex {}; expected 1 to {}", i + 1,
                         vertex + std::int64_t{1}, count);
    }
    if (a == b || b == c || c == a) {
      return fmt::format("triangle {}, counted from 1, names a vertex twice; expected three", i + 1);
    }
  }
  return "";
}

std::string initial_mesh_problem(const Sample& sample) {
  if (!sample.initial_mesh) return "";
  if (const std::string problem = describe_problem(*sample.initial_mesh); !problem.empty()) {
    return "initial mesh: " + problem;
  }
  for (const View& view : std::span(sample.views).first(views_read(sample, 2))) {
    const auto is_seen = [&view](const Eigen::Vector3f& vertex) { return shows(view.camera, vertex); };
    if (std::ranges::any_of(sample.initial_mesh->vertices, is_seen)) return "";
  }
  return "initial mesh: no view shows a vertex of it; expected it around the object, in the world of the cameras";
}

}  // namespace p2mpp
