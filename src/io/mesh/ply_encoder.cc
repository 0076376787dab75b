#include <fmt/format.h>

#include "base/little_endian.h"
#include "io/mesh/ply_file.h"

namespace p2mpp {
namespace {

std::string header_of(const TriangleMesh& mesh, const std::string& comment) {
  std::string text = "ply\nformat binary_little_endian 1.0\n";
  if (!comment.empty()) text += fmt::format("comment {}\n", comment);
  text += fmt::format("element vertex {}\n", mesh.vertices.size());
  for (const char* name : {"x", "y", "z"}) text += fmt::format("property float {}\n", name);
  if (!mesh.normals.empty()) {
    for (const char* name : {"nx", "ny", "nz"}) text += fmt::format("property float {}\n", name);
  }
  if (!mesh.triangles.empty()) {
    text += fmt::format("element face {}\nproperty list uchar int vertex_indices\n", mesh.triangles.size());
  }
  return text + "end_header\n";
}

void append(std::string& bytes, const Eigen::Vector3f& vector) {
  for (const float component : vector) append_little_endian(bytes, component);
}

}  // namespace

std::string format_ply(const TriangleMesh& mesh, const std::string& comment) {
  std::string bytes = header_of(mesh, comment);
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    append(bytes, mesh.vertices[i]);
    if (!mesh.normals.empty()) append(bytes, mesh.normals[i]);
  }
  for (const Triangle& triangle : mesh.triangles) {
    bytes += '\3';
    for (const std::int32_t vertex : triangle) append_little_endian(bytes, static_cast<std::uint32_t>(vertex));
  }
  return bytes;
}

}  // namespace p2mpp
