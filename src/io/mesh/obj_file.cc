#include <fmt/format.h>
#include <tiny_obj_loader.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "base/text.h"
#include "io/mesh/mesh_formats.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr std::size_t kMaxIndexCharacters = 16;
constexpr std::size_t kTypicalLineBytes = 40;

struct ObjGeometry {
  std::string text;  ///< the lines v and f, each where it stands in the file
  std::size_t vertex_count = 0;
  std::size_t triangle_count = 0;
};

/// tinyobjloader reads text that is not a number as 0, and drops numbers beyond float's range.
void append_vertex(ObjGeometry& geometry, std::string_view columns, const std::string& where) {
  geometry.text += 'v';
  for (int axis = 0; axis < 3; ++axis) {
    const std::string_view column = take_column(columns);
    const std::optional<double> value = parse_finite(column);
    if (!value || !std::isfinite(static_cast<float>(*value))) {
      throw InputError(
          fmt::format("{}: a vertex with '{}'; expected three finite numbers", where, printable(column, 40)));
    }
    geometry.text.append(" ").append(column);
  }
  ++geometry.vertex_count;
}

bool is_index(std::string_view text) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value != 0;
}

/// Whether the rest of a corner ("", "/2", "//3", "/2/3") names a texture coordinate and a normal, or neither.
bool are_indices(std::string_view rest) {
  while (!rest.empty()) {
    if (!rest.starts_with('/')) return false;
    rest.remove_prefix(1);
    const std::string_view index = rest.substr(0, rest.find('/'));
    if (!index.empty() && !is_index(index)) return false;
    rest.remove_prefix(index.size());
  }
  return true;
}

/// The vertex that a corner ("7", "7/2", "7//3", "7/2/3"; -1 is the last vertex before the face) names. tinyobjloader
/// reads text that is not a number as 0, and takes numbers beyond 32 bits for others.
std::string_view vertex_of(std::string_view corner, const std::string& where) {
  const std::string_view number = corner.substr(0, corner.find('/'));
  if (!is_index(number) || !are_indices(corner.substr(number.size()))) {
    throw InputError(
        fmt::format("{}: a corner '{}'; expected the number of a vertex, from 1", where, printable(corner, 40)));
  }
  return number;
}

/// tinyobjloader skips faces with fewer corners and counts corners in 8 bits. Numbers of texture coordinates and
/// normals are left out, because those are not read.
void append_face(ObjGeometry& geometry, std::string_view columns, const std::string& where) {
  int corner_count = 0;
  geometry.text += 'f';
  for (std::string_view corner = take_column(columns); !corner.empty(); corner = take_column(columns)) {
    geometry.text.append(" ").append(corner_count < 3 ? vertex_of(corner, where) : corner);
    ++corner_count;
  }
  if (corner_count != 3) {
    throw InputError(fmt::format("{}: a face with {} corners; expected a triangle", where, corner_count));
  }
  ++geometry.triangle_count;
}

/// Checks and keeps vertices and faces. The library does not see the rest (materials, groups, skin weights, ...).
ObjGeometry select_geometry(std::string_view text, const std::string& name) {
  ObjGeometry geometry;
  LineReader lines(text);
  for (std::string_view line; lines.next(line); geometry.text += '\n') {
    std::string_view columns = without_comment(line);
    const std::string_view kind = take_column(columns);
    if (kind == "v") append_vertex(geometry, columns, fmt::format("{}:{}", name, lines.number()));
    if (kind == "f") append_face(geometry, columns, fmt::format("{}:{}", name, lines.number()));
  }
  if (geometry.vertex_count == 0) throw InputError(fmt::format("{}: has no vertex; expected an OBJ mesh", name));
  return geometry;
}

void append_triangles(const tinyobj::shape_t& shape, TriangleMesh& mesh, const std::string& name) {
  const auto vertex_count = static_cast<int>(mesh.vertices.size());
  for (std::size_t corner = 0; corner + 2 < shape.mesh.indices.size(); corner += 3) {
    Triangle triangle{};
    for (std::size_t i = 0; i < 3; ++i) {
      triangle[i] = shape.mesh.indices[corner + i].vertex_index;
      if (triangle[i] < 0 || triangle[i] >= vertex_count) {
        throw InputError(fmt::format("{}: triangle {} names vertex {}; expected 1 to {}", name,
                                     mesh.triangles.size() + 1, triangle[i] + std::int64_t{1}, vertex_count));
      }
    }
    mesh.triangles.push_back(triangle);
  }
}

/// The library's message, which may have several lines, as part of one line.
std::string first_line(const std::string& message) { return printable(message.substr(0, message.find('\n'))); }

void append(std::string& text, const Triangle& triangle, bool with_normals) {
  text += 'f';
  for (const std::int32_t vertex : triangle) {
    char buffer[kMaxIndexCharacters];
    const std::string_view number(buffer,
                                  std::to_chars(std::begin(buffer), std::end(buffer), vertex + std::int64_t{1}).ptr);
    text.append(" ").append(number);
    if (with_normals) text.append("//").append(number);
  }
  text += '\n';
}

}  // namespace

TriangleMesh parse_obj(std::string_view text, const std::string& name) {
  ObjGeometry geometry = select_geometry(text, name);
  std::istringstream stream(std::move(geometry.text));
  tinyobj::attrib_t attributes;
  std::vector<tinyobj::shape_t> shapes;
  std::vector<tinyobj::material_t> materials;
  std::string warning;
  std::string error;
  if (!tinyobj::LoadObj(&attributes, &shapes, &materials, &warning, &error, &stream, nullptr, false, false)) {
    throw InputError(fmt::format("{}: {}; expected an OBJ mesh", name, first_line(error)));
  }
  TriangleMesh mesh;
  for (std::size_t i = 0; i + 2 < attributes.vertices.size(); i += 3) {
    mesh.vertices.emplace_back(attributes.vertices[i], attributes.vertices[i + 1], attributes.vertices[i + 2]);
  }
  for (const tinyobj::shape_t& shape : shapes) append_triangles(shape, mesh, name);
  if (mesh.vertices.size() != geometry.vertex_count || mesh.triangles.size() != geometry.triangle_count) {
    throw InputError(fmt::format("{}: {} vertices and {} triangles were read; expected {} and {}", name,
                                 mesh.vertices.size(), mesh.triangles.size(), geometry.vertex_count,
                                 geometry.triangle_count));
  }
  return mesh;
}

std::string format_obj(const TriangleMesh& mesh, const std::string& comment) {
  std::string text;
  text.reserve((mesh.vertices.size() + mesh.triangles.size()) * kTypicalLineBytes);
  LineReader lines(comment);
  for (std::string_view line; lines.next(line);) text.append("# ").append(line).append("\n");
  for (const Eigen::Vector3f& vertex : mesh.vertices) {
    text += "v ";
    append_coordinates(text, vertex);
  }
  for (const Eigen::Vector3f& normal : mesh.normals) {
    text += "vn ";
    append_coordinates(text, normal);
  }
  for (const Triangle& triangle : mesh.triangles) append(text, triangle, !mesh.normals.empty());
  return text;
}

}  // namespace p2mpp
