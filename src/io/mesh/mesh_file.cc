#include "io/mesh/mesh_file.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/atomic_file.h"
#include "base/input_file.h"
#include "base/text.h"
#include "colours/uv_seams.h"
#include "geometry/similarity.h"
#include "io/mesh/mesh_formats.h"
#include "p2mpp/error.h"
#include "p2mpp/metrics.h"

namespace p2mpp {
namespace {

struct LengthUnit {
  std::string_view name;
  double metres;
};
/// A name comes before those that it ends with.
constexpr std::array<LengthUnit, 4> kLengthUnits{{{"mm", 0.001}, {"cm", 0.01}, {"in", 0.0254}, {"m", 1}}};

constexpr std::string_view kUnitComment = "unit: ";

}  // namespace

std::optional<double> parse_length(std::string_view text) {
  text = trimmed(text);
  for (const auto& [name, metres] : kLengthUnits) {
    if (!text.ends_with(name)) continue;
    const std::string_view digits = trimmed(text.substr(0, text.size() - name.size()));
    const std::optional<double> count = digits.empty() ? std::optional(1.0) : parse_finite(digits);
    if (!count || !(*count * metres > 0) || !std::isfinite(*count * metres)) return std::nullopt;
    return *count * metres;
  }
  return std::nullopt;
}

std::string length_text(double metres) {
  for (const auto& [name, length] : kLengthUnits) {
    if (metres == length) return std::string(name);
  }
  // Ten digits hide the rounding of a product such as 57.3 * 0.001.
  return fmt::format("{:.10g}mm", metres * 1000);
}

std::string unit_comment(double metres_per_unit) { return std::string(kUnitComment) + length_text(metres_per_unit); }

std::optional<double> unit_of_obj(std::string_view text) {
  LineReader lines(text);
  std::string_view line;
  if (!lines.next(line) || !line.starts_with('#')) return std::nullopt;
  line = trimmed(line.substr(1));
  if (!line.starts_with(kUnitComment)) return std::nullopt;
  return parse_length(line.substr(kUnitComment.size()));
}

namespace {

enum class Normals { kNever, kOnRequest, kAlways };

struct FormatRow {
  std::string_view name;                                                                        ///< and the extension
  TriangleMesh (*read)(std::string_view bytes, const std::string& name, MeshReading* reading);  ///< null: written only
  bool needs_triangles;
  Normals normals;  ///< whether they are written
  HeldColours colours;
  double unit = 0;  ///< in metres; 0: any
};

constexpr double kMetre = 1;

/// In the order of MeshFormat; read-only formats are last.
constexpr std::array<FormatRow, kMeshFormats.size() + 3> kFormats{{
    {"obj", parse_obj, false, Normals::kOnRequest, HeldColours::kTexture},
    {"xyz", parse_xyz, false, Normals::kNever, HeldColours::kNone},
    {"ply", parse_ply, false, Normals::kOnRequest, HeldColours::kOfVertices},
    {"glb", parse_gltf, true, Normals::kAlways, HeldColours::kTextureAndNormalMap, kMetre},
    {"stl", parse_stl, true, Normals::kNever, HeldColours::kNone, kMillimetre},
    {"3mf", nullptr, true, Normals::kNever, HeldColours::kTexture, kMillimetre},
    {"usdz", nullptr, true, Normals::kAlways, HeldColours::kTextureAndNormalMap, kMetre},
    {"gltf", parse_gltf, false, Normals::kNever, HeldColours::kNone},
    {"off", parse_off, false, Normals::kNever, HeldColours::kNone},
    {"dat", parse_dat, false, Normals::kNever, HeldColours::kNone},
}};

const FormatRow& format_row(MeshFormat format) { return kFormats[static_cast<std::size_t>(format)]; }

auto find_reader(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  for (const FormatRow& row : kFormats) {
    if (row.read != nullptr && extension.starts_with('.') && extension.substr(1) == row.name) return row.read;
  }
  throw InputError(
      fmt::format("{}: '{}' is not a known format; expected .obj, .ply, .glb, .gltf, .stl, .off, .xyz or .dat",
                  display(path), extension));
}

/// What a format holds of a mesh, with what it needs, in the format's unit.
TriangleMesh as_written(const TriangleMesh& mesh, MeshFormat format, const MeshEncoding& encoding) {
  const FormatRow& row = format_row(format);
  if (row.needs_triangles && mesh.triangles.empty()) {
    throw InputError(fmt::format("a mesh without triangles; expected some to be written as {}", row.name));
  }
  TriangleMesh written{.vertices = mesh.vertices, .triangles = mesh.triangles, .origin = mesh.origin};
  const bool with_normals = row.normals == Normals::kAlways || (row.normals == Normals::kOnRequest && encoding.normals);
  if (with_normals) written.normals = vertex_cloud(mesh).normals;
  const bool with_texture = row.colours >= HeldColours::kTexture && !(encoding.alone && format == MeshFormat::kObj);
  if (with_texture) written.texture = mesh.texture;
  if (encoding.metres_per_unit && row.unit > 0) scale_by(written, *encoding.metres_per_unit / row.unit);
  if (row.colours != HeldColours::kNone && !written.texture) {
    written.colours = mesh.texture && mesh.colours.empty() ? colours_of_texture(mesh) : mesh.colours;
  }
  return written;
}

/// Which unit the coordinates have, before the given comment, for a format that has any unit.
std::string comment_with_unit(const MeshEncoding& encoding, std::string_view separator) {
  if (!encoding.metres_per_unit) return encoding.comment;
  return fmt::format("{}{}{}", unit_comment(*encoding.metres_per_unit), separator, encoding.comment);
}

std::string comment_of_obj(const MeshEncoding& encoding) { return comment_with_unit(encoding, "\n"); }

std::string encode_alone(const TriangleMesh& mesh, MeshFormat format, const MeshEncoding& encoding) {
  switch (format) {
    case MeshFormat::kObj:
      return format_obj(mesh, comment_of_obj(encoding));
    case MeshFormat::kXyz:
      return format_xyz(mesh);
    case MeshFormat::kPly:
      return format_ply(mesh, comment_with_unit(encoding, "; "));
    case MeshFormat::kGlb:
      return format_glb(mesh, encoding.comment, encoding.picture);
    case MeshFormat::k3mf:
      return format_3mf(mesh, encoding.comment, encoding.picture);
    case MeshFormat::kUsdz:
      return format_usdz(mesh, encoding.comment, encoding.picture);
    case MeshFormat::kStl:
      break;
  }
  return format_stl(mesh, encoding.comment);
}

/// The beginning of the names of files beside a mesh. They stand in lines of the mesh's file.
std::string companion_stem(const std::filesystem::path& path) {
  std::string stem = path.stem().string();
  for (char& c : stem) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '#' || c == '\\') c = '_';
  }
  return stem;
}

}  // namespace

std::string_view to_string(MeshFormat format) { return format_row(format).name; }

HeldColours held_colours(MeshFormat format) { return format_row(format).colours; }

MeshFormat mesh_format(std::string_view name) {
  for (const MeshFormat format : kMeshFormats) {
    if (to_string(format) == name) return format;
  }
  throw UsageError(fmt::format("'{}' is not a mesh format; expected obj, xyz, ply, glb, stl, 3mf or usdz", name));
}

std::vector<MeshFile> encode_mesh_files(const TriangleMesh& mesh, MeshFormat format, const MeshEncoding& encoding,
                                        const std::filesystem::path& path) {
  const TriangleMesh written = as_written(mesh, format, encoding);
  std::vector<MeshFile> files;
  if (format == MeshFormat::kObj && written.texture) {
    const std::string stem = companion_stem(path);
    const std::string picture = fmt::format("{}_texture{}", stem, file_extension(encoding.picture));
    const std::string library = stem + ".mtl";
    files.push_back({path.parent_path() / picture, encode_picture(written.texture->image, encoding.picture)});
    files.push_back({path.parent_path() / library, format_obj_materials(picture, encoding.comment)});
    files.push_back({path, format_obj(written, comment_of_obj(encoding), library)});
  } else {
    files.push_back({path, encode_alone(written, format, encoding)});
  }
  return files;
}

void write_mesh_files(std::span<const MeshFile> files) {
  std::vector<UnfinishedFile> unfinished;
  for (const MeshFile& file : files) unfinished.emplace_back(file.path, file.bytes);
  sync_to_disk(unfinished);
  for (UnfinishedFile& file : unfinished) file.put_in_place();
  sync_parent_folder(files.back().path);
}

std::string encode_mesh(const TriangleMesh& mesh, MeshFormat format, const MeshEncoding& encoding) {
  return encode_alone(as_written(mesh, format, encoding), format, encoding);
}

std::optional<MeshFormat> format_of(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  if (extension == ".gltf") return MeshFormat::kGlb;
  if (extension == ".off") return MeshFormat::kPly;
  for (const MeshFormat format : kMeshFormats) {
    if (extension == fmt::format(".{}", to_string(format))) return format;
  }
  return std::nullopt;
}

NotedMesh read_noted_mesh(const std::filesystem::path& path) { return parse_noted_mesh(read_file(path), path); }

NotedMesh parse_noted_mesh(std::string_view bytes, const std::filesystem::path& path) {
  MeshReading reading{.folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".")};
  NotedMesh result{find_reader(path)(bytes, display(path), &reading), {}};
  result.notes = std::move(reading.notes);
  if (format_of(path) == MeshFormat::kGlb) result.metres_per_unit = kMetre;
  if (format_of(path) == MeshFormat::kObj) result.metres_per_unit = unit_of_obj(bytes);
  return result;
}

TriangleMesh read_mesh(const std::filesystem::path& path) { return read_noted_mesh(path).mesh; }

}  // namespace p2mpp
