#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "geometry/foreign/placed_points.h"
#include "geometry/foreign/polygons.h"
#include "io/mesh/mesh_formats.h"
#include "io/mesh/mesh_reading.h"
#include "io/mesh/texture_assembly.h"
#include "p2mpp/error.h"

// Source: Wavefront Technologies, "Appendix B1. Object Files", Advanced Visualizer manual, 1995.
namespace p2mpp {
namespace {

constexpr std::int64_t kNoIndex = -1;

/// A corner of a face: indices from 0 into the file's lists, which may come later in the file.
struct ObjCorner {
  std::int64_t vertex = 0, uv = kNoIndex;
};

struct ObjFace {
  std::size_t first_corner = 0, corner_count = 0;
  std::size_t material = 0;  ///< in ObjContents::materials
};

struct ObjContents {
  std::vector<Eigen::Vector3d> vertices;
  RawColours colours;                ///< of the vertices
  std::vector<Eigen::Vector2d> uvs;  ///< (0,0) is the lower left corner of the picture
  std::vector<ObjCorner> corners;
  std::vector<ObjFace> faces;
  std::vector<std::string> libraries;
  std::vector<std::string> materials = {""};  ///< names; the first: none
  std::size_t narrow_faces = 0;               ///< of fewer than three corners, which are left out
};

/// Lines, with those that end in a backslash joined to the next.
class ObjLines {
 public:
  explicit ObjLines(std::string_view text) : lines_(text) {}

  bool next(std::string_view& line) {
    if (!lines_.next(line)) return false;
    number_ = lines_.number();
    if (!is_continued(line)) return true;
    joined_.clear();
    while (is_continued(line)) {
      joined_.append(without_backslash(line)).append(" ");
      if (!lines_.next(line)) line = {};
    }
    joined_ += line;
    line = joined_;
    return true;
  }

  [[nodiscard]] std::size_t number() const { return number_; }  ///< of the first line that was joined

 private:
  static bool is_continued(std::string_view line) { return trimmed(without_comment(line)).ends_with('\\'); }
  static std::string_view without_backslash(std::string_view line) { return line.substr(0, line.rfind('\\')); }

  LineReader lines_;
  std::string joined_;
  std::size_t number_ = 0;
};

class ObjParser {
 public:
  explicit ObjParser(const std::string& name) : name_(name) {}

  ObjContents parse(std::string_view text) {
    ObjLines lines(text);
    for (std::string_view line; lines.next(line);) {
      line_ = lines.number();
      std::string_view rest = without_comment(line);
      const std::string_view kind = take_column(rest);
      if (kind == "v") add_vertex(rest);
      if (kind == "vt") add_uv(rest);
      if (kind == "f" || kind == "fo") add_face(rest);
      if (kind == "usemtl") use_material(std::string(trimmed(rest)));
      if (kind == "mtllib") contents_.libraries.emplace_back(trimmed(rest));
    }
    if (contents_.vertices.empty()) throw InputError(fmt::format("{}: has no vertex; expected an OBJ mesh", name_));
    return std::move(contents_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw InputError(fmt::format("{}:{}: {}", name_, line_, problem));
  }

  void add_vertex(std::string_view columns) {
    Eigen::Vector3d vertex;
    for (double& coordinate : vertex) {
      const std::string_view column = take_column(columns);
      const std::optional<double> value = parse_finite(column);
      if (!value || !std::isfinite(static_cast<float>(*value))) {
        fail(fmt::format("a vertex with '{}'; expected three finite numbers", printable(column, 40)));
      }
      coordinate = *value;
    }
    contents_.vertices.push_back(vertex);
    add_colour(columns);
  }

  /// MeshLab, Open3D and others write red, green and blue after the coordinates, some with alpha. One number is a
  /// weight.
  void add_colour(std::string_view columns) {
    std::array<double, 4> numbers{};
    std::size_t count = 0;
    for (; count < numbers.size() && !trimmed(columns).empty(); ++count) {
      numbers[count] = parse_finite(take_column(columns)).value_or(NAN);
    }
    const bool is_colour =
        count >= 3 && trimmed(columns).empty() && std::isfinite(numbers[0] + numbers[1] + numbers[2]);
    if (is_colour) {
      contents_.colours.add({numbers[0], numbers[1], numbers[2]});
    } else {
      contents_.colours.add_none();
    }
  }

  void add_uv(std::string_view columns) {
    Eigen::Vector2d uv;
    for (double& coordinate : uv) coordinate = parse_finite(take_column(columns)).value_or(0);
    contents_.uvs.push_back(uv);
  }

  static std::optional<std::int32_t> parse_index(std::string_view text) {
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value == 0) return std::nullopt;
    return value;
  }

  /// From 0. A negative number counts back from the last element before the face.
  static std::int64_t resolved(std::int32_t index, std::size_t count) {
    return index > 0 ? index - std::int64_t{1} : static_cast<std::int64_t>(count) + index;
  }

  /// "7", "7/2", "7//3" or "7/2/3": a vertex, and perhaps a place in the picture and a normal.
  ObjCorner parse_corner(std::string_view text) const {
    const auto refuse = [&] {
      fail(fmt::format("a corner '{}'; expected the number of a vertex, from 1", printable(text, 40)));
    };
    ObjCorner corner;
    std::string_view rest = text;
    for (int place = 0; place == 0 || !rest.empty(); ++place) {
      const std::string_view number = rest.substr(0, rest.find('/'));
      const std::optional<std::int32_t> index = parse_index(number);
      if (!index && (place == 0 || !number.empty())) refuse();
      if (place == 0) corner.vertex = resolved(*index, contents_.vertices.size());
      if (place == 1 && index) corner.uv = resolved(*index, contents_.uvs.size());
      rest.remove_prefix(std::min(number.size() + 1, rest.size()));
    }
    return corner;
  }

  void add_face(std::string_view columns) {
    ObjFace face{.first_corner = contents_.corners.size(), .corner_count = 0, .material = material_};
    for (std::string_view corner = take_column(columns); !corner.empty(); corner = take_column(columns)) {
      contents_.corners.push_back(parse_corner(corner));
      ++face.corner_count;
    }
    if (face.corner_count >= 3) {
      contents_.faces.push_back(face);
    } else {
      ++contents_.narrow_faces;
      contents_.corners.resize(face.first_corner);
    }
  }

  void use_material(std::string name) {
    const auto [known, is_new] = material_numbers_.try_emplace(name, contents_.materials.size());
    if (is_new) contents_.materials.push_back(std::move(name));
    material_ = known->second;
  }

  const std::string& name_;
  std::size_t line_ = 0;
  ObjContents contents_;
  std::map<std::string, std::size_t, std::less<>> material_numbers_;
  std::size_t material_ = 0;
};

/// Makes triangles of the faces, and remembers the corners that they come from.
class ObjTriangles {
 public:
  ObjTriangles(const ObjContents& contents, const std::string& name) : contents_(contents), name_(name) {
    for (std::size_t i = 0; i < contents.faces.size(); ++i) add(contents.faces[i], i + 1);
  }

  std::vector<Triangle> triangles;
  std::vector<std::array<std::size_t, 3>> corners;  ///< of the triangles, in ObjContents::corners
  std::vector<std::size_t> materials;               ///< of the triangles
  std::size_t polygons = 0;

 private:
  void add(const ObjFace& face, std::size_t number) {
    const auto vertex_count = static_cast<std::int64_t>(contents_.vertices.size());
    places_.clear();
    for (std::size_t i = 0; i < face.corner_count; ++i) {
      const std::int64_t vertex = contents_.corners[face.first_corner + i].vertex;
      if (vertex < 0 || vertex >= vertex_count) {
        throw InputError(
            fmt::format("{}: face {} names vertex {}; expected 1 to {}", name_, number, vertex + 1, vertex_count));
      }
      places_.push_back(contents_.vertices[static_cast<std::size_t>(vertex)]);
    }
    cut_.clear();
    try {
      append_polygon(places_, cut_);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: face {}: {}", name_, number, error.what()));
    }
    polygons += face.corner_count > 3 ? 1 : 0;
    for (const CornerTriangle& triangle : cut_) {
      Triangle& vertices = triangles.emplace_back();
      std::array<std::size_t, 3>& of = corners.emplace_back();
      for (std::size_t i = 0; i < 3; ++i) {
        of[i] = face.first_corner + triangle[i];
        vertices[i] = static_cast<std::int32_t>(contents_.corners[of[i]].vertex);
      }
      materials.push_back(face.material);
    }
  }

  const ObjContents& contents_;
  const std::string& name_;
  std::vector<Eigen::Vector3d> places_;
  std::vector<CornerTriangle> cut_;
};

/// A line names one library, whose name may have blanks in it, or several.
std::vector<std::string> library_names(const ObjContents& contents, MeshReading& reading) {
  std::vector<std::string> names;
  for (const std::string& line : contents.libraries) {
    if (has_companion(reading, line)) {
      names.push_back(line);
      continue;
    }
    std::string_view rest = line;
    for (std::string_view name = take_column(rest); !name.empty(); name = take_column(rest)) names.emplace_back(name);
  }
  return names;
}

/// The materials of the libraries that a file names. Those that cannot be read give a note.
std::map<std::string, ObjMaterial, std::less<>> read_libraries(const ObjContents& contents, MeshReading& reading) {
  std::map<std::string, ObjMaterial, std::less<>> materials;
  for (const std::string& library : library_names(contents, reading)) {
    try {
      materials.merge(parse_obj_materials(read_companion(reading, library)));
    } catch (const InputError& error) {
      reading.notes.push_back(fmt::format("its materials are not used: {}", error.what()));
    }
  }
  return materials;
}

/// A material's part in the texture, and its colour for triangles without places in a picture.
struct UsedMaterial {
  std::optional<std::size_t> picture;
  std::optional<Colour> colour;
};

/// Those of each material [M].
std::vector<UsedMaterial> add_materials(const ObjContents& contents, const std::vector<bool>& is_used,
                                        MeshReading& reading, TextureAssembly& texture) {
  std::vector<UsedMaterial> used(contents.materials.size());
  const auto materials = read_libraries(contents, reading);
  std::map<std::string, std::optional<std::size_t>> pictures;
  for (std::size_t i = 1; i < used.size(); ++i) {
    const auto known = materials.find(contents.materials[i]);
    if (!is_used[i] || known == materials.end()) continue;
    const ObjMaterial& material = known->second;
    if (material.picture.empty() || contents.uvs.empty()) {
      used[i].colour = material.colour;
      continue;
    }
    if (!pictures.contains(material.picture)) {
      try {
        pictures[material.picture] = texture.add_picture(read_companion(reading, material.picture), material.picture);
      } catch (const InputError& error) {
        pictures[material.picture] = std::nullopt;
        reading.notes.push_back(fmt::format("a picture is not used: {}", error.what()));
      }
    }
    used[i].picture = pictures[material.picture];
  }
  return used;
}

/// Gives the mesh the pictures and colours of its materials.
void use_materials(const ObjContents& contents, const ObjTriangles& made, MeshReading& reading, TriangleMesh& mesh) {
  if (contents.libraries.empty() || reading.folder.empty()) return;
  std::vector<bool> is_used(contents.materials.size(), false);
  for (const std::size_t material : made.materials) is_used[material] = true;
  TextureAssembly texture(reading.notes);
  const auto used = add_materials(contents, is_used, reading, texture);
  for (std::size_t t = 0; t < made.triangles.size(); ++t) {
    std::array<Eigen::Vector2f, 3> uvs;
    UsedMaterial material = used[made.materials[t]];
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t uv = contents.corners[made.corners[t][i]].uv;
      const bool is_there = uv >= 0 && uv < static_cast<std::int64_t>(contents.uvs.size());
      if (!is_there) material.picture.reset();
      const Eigen::Vector2d place = is_there ? contents.uvs[static_cast<std::size_t>(uv)] : Eigen::Vector2d(0, 1);
      uvs[i] = Eigen::Vector2d(place.x(), 1 - place.y()).cast<float>();
    }
    if (material.colour) material.picture = texture.add_colour(*material.colour);
    texture.add_triangle(material.picture, uvs);
  }
  texture.finish(mesh);
}

}  // namespace

TriangleMesh parse_obj(std::string_view text, const std::string& name, MeshReading* reading) {
  MeshReading alone;
  MeshReading& extras = reading != nullptr ? *reading : alone;
  const ObjContents contents = ObjParser(name).parse(text);
  ObjTriangles made(contents, name);
  TriangleMesh mesh;
  if (made.polygons > 0) extras.notes.push_back(polygon_note(made.polygons));
  if (contents.narrow_faces > 0) extras.notes.push_back(narrow_face_note(contents.narrow_faces));
  PlacedPoints points = placed(contents.vertices);
  mesh.vertices = std::move(points.points);
  mesh.origin = points.origin;
  mesh.colours = contents.colours.of_vertices(extras.notes);
  use_materials(contents, made, extras, mesh);
  mesh.triangles = std::move(made.triangles);
  return mesh;
}

}  // namespace p2mpp
