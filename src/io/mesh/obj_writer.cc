#include <charconv>
#include <iterator>

#include "base/text.h"
#include "colours/uv_seams.h"
#include "geometry/foreign/placed_points.h"
#include "io/mesh/mesh_formats.h"
#include "p2mpp/mesh_texture.h"

namespace p2mpp {
namespace {

constexpr std::size_t kTypicalLineBytes = 40;

void append_number(std::string& text, std::int64_t number) {
  char buffer[24];
  text.append(buffer, std::to_chars(std::begin(buffer), std::end(buffer), number).ptr);
}

/// "vt u v", with (0,0) in the lower left corner of the picture.
void append_uv(std::string& text, const Eigen::Vector2f& uv) {
  text += "vt";
  for (const double coordinate : {static_cast<double>(uv.x()), 1.0 - static_cast<double>(uv.y())}) {
    char buffer[32];
    constexpr int kDigits = 9;
    text += ' ';
    text.append(
        buffer,
        std::to_chars(std::begin(buffer), std::end(buffer), coordinate, std::chars_format::general, kDigits).ptr);
  }
  text += '\n';
}

void append_vertices(std::string& text, const TriangleMesh& mesh, bool with_colours) {
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    text += "v ";
    append_vertex(text, mesh, i);
    if (with_colours) {
      for (const std::uint8_t channel : mesh.colours[i]) {
        char buffer[16];
        constexpr int kDigits = 6;
        text += ' ';
        text.append(buffer, std::to_chars(std::begin(buffer), std::end(buffer), channel / 255.0,
                                          std::chars_format::general, kDigits)
                                .ptr);
      }
    }
    text += '\n';
  }
}

}  // namespace

std::string format_obj(const TriangleMesh& mesh, const std::string& comment, std::string_view library) {
  std::string text;
  text.reserve((mesh.vertices.size() + mesh.triangles.size()) * kTypicalLineBytes);
  LineReader lines(comment);
  for (std::string_view line; lines.next(line);) text.append("# ").append(line).append("\n");
  const bool is_textured = mesh.texture && !library.empty();
  if (is_textured) text.append("mtllib ").append(library).append("\n");
  append_vertices(text, mesh, !is_textured && !mesh.colours.empty());
  UniqueUvs uvs;
  if (is_textured) uvs = unique_uvs(*mesh.texture);
  for (const Eigen::Vector2f& uv : uvs.uvs) append_uv(text, uv);
  for (const Eigen::Vector3f& normal : mesh.normals) {
    text += "vn ";
    append_coordinates(text, normal);
    text += '\n';
  }
  if (is_textured) text.append("usemtl ").append(kTexturedMaterial).append("\n");
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    text += 'f';
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t vertex = mesh.triangles[t][i] + std::int64_t{1};
      text += ' ';
      append_number(text, vertex);
      if (is_textured) append_number(text += '/', uvs.corners[t][i] + std::int64_t{1});
      if (!mesh.normals.empty()) append_number(text += is_textured ? "/" : "//", vertex);
    }
    text += '\n';
  }
  return text;
}

}  // namespace p2mpp
