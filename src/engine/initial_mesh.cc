#include "engine/initial_mesh.h"

#include <fmt/format.h>

#include <algorithm>
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

std::string problem_of(const TriangleMesh& mesh) {
  const std::size_t count = mesh.vertices.size();
  if (count < kMinInitialVertices || count > kMaxInitialVertices) {
    return fmt::format("{} vertices; expected {} to {}", count, kMinInitialVertices, kMaxInitialVertices);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!mesh.vertices[i].allFinite()) return fmt::format("vertex {} is not finite (counted from 0)", i);
  }
  if (mesh.triangles.empty()) return "no triangle; expected a triangle mesh";
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    for (const std::int32_t vertex : mesh.triangles[i]) {
      if (vertex >= 0 && static_cast<std::size_t>(vertex) < count) continue;
      return fmt::format("triangle {} names vertex {} of {} (counted from 0)", i, vertex, count);
    }
  }
  return "";
}

}  // namespace

std::string initial_mesh_problem(const Sample& sample) {
  if (!sample.initial_mesh) return "";
  if (const std::string problem = problem_of(*sample.initial_mesh); !problem.empty()) {
    return "initial mesh: " + problem;
  }
  for (const View& view : std::span(sample.views).first(views_read(sample, 2))) {
    const auto is_seen = [&view](const Eigen::Vector3f& vertex) { return shows(view.camera, vertex); };
    if (std::ranges::any_of(sample.initial_mesh->vertices, is_seen)) return "";
  }
  return "initial mesh: no view shows a vertex of it; expected it around the object, in the world of the cameras";
}

}  // namespace p2mpp
