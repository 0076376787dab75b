#include <fmt/format.h>

#include <bit>

#include "base/little_endian.h"
#include "geometry/foreign/placed_points.h"
#include "io/mesh/mesh_formats.h"

namespace p2mpp {
namespace {

std::string make_ply_header(const TriangleMesh& mesh, const std::string& comment) {
  std::string text = "ply\nformat binary_little_endian 1.0\n";
  if (!comment.empty()) text += fmt::format("comment {}\n", comment);
  text += fmt::format("element vertex {}\n", mesh.vertices.size());
  const char* const type = mesh.origin.isZero(0) ? "float" : "double";
  for (const char* name : {"x", "y", "z"}) text += fmt::format("property {} {}\n", type, name);
  if (!mesh.normals.empty()) {
    for (const char* name : {"nx", "ny", "nz"}) text += fmt::format("property float {}\n", name);
  }
  if (!mesh.colours.empty()) {
    for (const char* name : {"red", "green", "blue"}) text += fmt::format("property uchar {}\n", name);
  }
  if (!mesh.triangles.empty()) {
    text += fmt::format("element face {}\nproperty list uchar int vertex_indices\n", mesh.triangles.size());
  }
  return text + "end_header\n";
}

void append_place(std::string& bytes, const TriangleMesh& mesh, std::size_t i) {
  if (mesh.origin.isZero(0)) return append_little_endian(bytes, mesh.vertices[i]);
  for (const double coordinate : placed_vertex(mesh, i)) {
    append_little_endian(bytes, std::bit_cast<std::uint64_t>(coordinate));
  }
}

}  // namespace

std::string format_ply(const TriangleMesh& mesh, const std::string& comment) {
  std::string bytes = make_ply_header(mesh, comment);
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    append_place(bytes, mesh, i);
    if (!mesh.normals.empty()) append_little_endian(bytes, mesh.normals[i]);
    if (mesh.colours.empty()) continue;
    for (const std::uint8_t channel : mesh.colours[i]) append_little_endian(bytes, channel);
  }
  for (const Triangle& triangle : mesh.triangles) {
    bytes += '\3';
    for (const std::int32_t vertex : triangle) append_little_endian(bytes, static_cast<std::uint32_t>(vertex));
  }
  return bytes;
}

}  // namespace p2mpp
