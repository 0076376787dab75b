#include "io/mesh/mesh_file.h"

#include <fmt/format.h>

#include "base/input_file.h"
#include "base/text.h"
#include "io/mesh/mesh_formats.h"
#include "p2mpp/error.h"
#include "p2mpp/metrics.h"

namespace p2mpp {
namespace {

enum class Normals { kNever, kOnRequest, kAlways };

struct FormatRow {
  std::string_view name;                                                       ///< and the extension
  std::string (*write)(const TriangleMesh& mesh, const std::string& comment);  ///< null: is only read
  TriangleMesh (*read)(std::string_view bytes, const std::string& name);
  bool needs_triangles;
  Normals normals;  ///< whether they are written
};

std::string write_xyz(const TriangleMesh& mesh, const std::string& /*comment*/) { return format_xyz(mesh.vertices); }

/// In the order of MeshFormat; read-only formats are last.
constexpr std::array<FormatRow, kMeshFormats.size() + 1> kFormats{{
    {"obj", format_obj, parse_obj, false, Normals::kOnRequest},
    {"xyz", write_xyz, parse_xyz, false, Normals::kNever},
    {"ply", format_ply, parse_ply, false, Normals::kOnRequest},
    {"glb", format_glb, parse_glb, true, Normals::kAlways},
    {"stl", format_stl, parse_stl, true, Normals::kNever},
    {"dat", nullptr, parse_dat, false, Normals::kNever},
}};

const FormatRow& format_row(MeshFormat format) { return kFormats[static_cast<std::size_t>(format)]; }

auto reader_of(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  for (const FormatRow& row : kFormats) {
    if (extension.starts_with('.') && extension.substr(1) == row.name) return row.read;
  }
  throw InputError(fmt::format("{}: '{}' is not a known format; expected .obj, .ply, .glb, .stl, .xyz or .dat",
                               display(path), extension));
}

}  // namespace

std::string_view to_string(MeshFormat format) { return format_row(format).name; }

MeshFormat mesh_format(std::string_view name) {
  for (const MeshFormat format : kMeshFormats) {
    if (to_string(format) == name) return format;
  }
  throw UsageError(fmt::format("'{}' is not a mesh format; expected obj, xyz, ply, glb or stl", name));
}

std::string encode_mesh(const TriangleMesh& mesh, MeshFormat format, const MeshEncoding& encoding) {
  const FormatRow& row = format_row(format);
  if (row.needs_triangles && mesh.triangles.empty()) {
    throw InputError(fmt::format("a mesh without triangles; expected some to be written as {}", row.name));
  }
  TriangleMesh written{mesh.vertices, mesh.triangles};
  const bool with_normals = row.normals == Normals::kAlways || (row.normals == Normals::kOnRequest && encoding.normals);
  if (with_normals) written.normals = vertex_cloud(mesh).normals;
  return row.write(written, encoding.comment);
}

std::optional<MeshFormat> format_of(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  for (const MeshFormat format : kMeshFormats) {
    if (extension == fmt::format(".{}", to_string(format))) return format;
  }
  return std::nullopt;
}

TriangleMesh read_mesh(const std::filesystem::path& path) { return reader_of(path)(read_file(path), display(path)); }

TriangleMesh parse_mesh(std::string_view bytes, const std::filesystem::path& path) {
  return reader_of(path)(bytes, display(path));
}

Points read_points(const std::filesystem::path& path) {
  if (lower_extension(path) == ".ply") return parse_ply_points(read_file(path), display(path));
  return read_mesh(path).vertices;
}

}  // namespace p2mpp
