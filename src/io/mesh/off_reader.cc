#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "base/text.h"
#include "geometry/foreign/placed_points.h"
#include "geometry/foreign/polygons.h"
#include "io/mesh/mesh_formats.h"
#include "io/mesh/mesh_reading.h"
#include "io/mesh/texture_assembly.h"
#include "p2mpp/error.h"

// Source: Geomview's manual, "OFF: the file format for polygonal objects".
namespace p2mpp {
namespace {

/// The first word: "COFF" has colours of vertices, "NOFF" normals before them, "STOFF" places in a picture.
struct OffKind {
  bool normals = false, colours = false;
};

class OffReader {
 public:
  OffReader(std::string_view text, const std::string& name, MeshReading& reading)
      : lines_(text), name_(name), notes_(reading.notes) {}

  TriangleMesh read() {
    const OffKind kind = read_kind();
    const std::size_t vertex_count = next_count(), face_count = next_count();
    if (!trimmed(line_).empty()) static_cast<void>(next_count());  // edges, which nobody counts
    for (std::size_t i = 0; i < vertex_count; ++i) read_vertex(kind);
    for (std::size_t i = 0; i < face_count; ++i) read_face(i);
    if (vertices_.empty()) fail("has no vertex");
    if (polygons_ > 0) notes_.push_back(polygon_note(polygons_));
    if (narrow_faces_ > 0) notes_.push_back(narrow_face_note(narrow_faces_));
    return finish();
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw InputError(fmt::format("{}:{}: {}; expected an OFF mesh", name_, lines_.number(), problem));
  }

  /// Skips what is left of a line with nothing in it.
  bool to_next_word() {
    while (trimmed(line_).empty()) {
      if (!lines_.next(line_)) return false;
      line_ = without_comment(line_);
    }
    return true;
  }

  std::string_view next_word() {
    if (!to_next_word()) fail("is cut off");
    return take_column(line_);
  }

  double next_number() {
    const std::string_view word = next_word();
    const std::optional<double> value = parse_any_number(word);
    if (!value) fail(fmt::format("'{}' is not a number", printable(word, 40)));
    return *value;
  }

  std::size_t next_count() {
    const std::string_view word = next_word();
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) {
      fail(fmt::format("'{}' is not a number of elements", printable(word, 40)));
    }
    return value;
  }

  /// "OFF" may be missing, and files of ModelNet have no blank after it: "OFF490 518 0".
  OffKind read_kind() {
    if (!to_next_word()) fail("is cut off");
    const std::size_t at = line_.find("OFF");
    const std::string_view letters = trimmed(line_.substr(0, at == std::string_view::npos ? 0 : at));
    if (at == std::string_view::npos) {
      if (!parse_finite(trimmed(line_).substr(0, 1))) fail("does not begin with OFF");
      return {};
    }
    if (letters.find_first_not_of("STCN") != std::string_view::npos) {
      fail(fmt::format("is of the kind '{}OFF', which p2mpp does not read", printable(letters, 20)));
    }
    line_.remove_prefix(at + 3);
    if (trimmed(line_).starts_with("BINARY")) fail("is binary, which p2mpp does not read");
    return {.normals = letters.find('N') != std::string_view::npos,
            .colours = letters.find('C') != std::string_view::npos};
  }

  void read_vertex(const OffKind& kind) {
    Eigen::Vector3d vertex;
    for (double& coordinate : vertex) coordinate = next_number();
    if (!vertex.cast<float>().allFinite()) fail("a vertex is not finite");
    vertices_.push_back(vertex);
    if (kind.normals) {
      Eigen::Vector3f& normal = normals_.emplace_back();
      for (float& component : normal) component = static_cast<float>(next_number());
      if (!normal.allFinite()) normal.setZero();
      normal.stableNormalize();
    }
    if (kind.colours) take_colour(colours_);
  }

  /// Three or four numbers at the end of a line. One number is the place in a table that is not in the file.
  void take_colour(RawColours& colours) {
    std::array<double, 3> channels{};
    std::size_t count = 0;
    for (; !trimmed(line_).empty(); ++count) {
      const double value = next_number();
      if (count < channels.size()) channels[count] = value;
    }
    if (count >= channels.size()) {
      colours.add(channels);
    } else {
      colours.add_none();
    }
  }

  void read_face(std::size_t number) {
    const std::size_t count = next_count();
    corners_.clear();
    places_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t corner = next_count();
      if (corner >= vertices_.size()) fail(fmt::format("a face names vertex {} of {}", corner, vertices_.size()));
      corners_.push_back(static_cast<std::int32_t>(corner));
      places_.push_back(vertices_[corner]);
    }
    take_colour(face_colours_);
    if (count < 3) {
      ++narrow_faces_;
      return;
    }
    polygons_ += count > 3 ? 1 : 0;
    cut_.clear();
    try {
      append_polygon(places_, cut_);
    } catch (const InputError& error) {
      fail(fmt::format("face {}: {}", number, error.what()));
    }
    for (const auto& [a, b, c] : cut_) {
      triangles_.push_back({corners_[a], corners_[b], corners_[c]});
      faces_.push_back(number);
    }
  }

  TriangleMesh finish() {
    TriangleMesh mesh;
    PlacedPoints points = placed(vertices_);
    mesh.vertices = std::move(points.points);
    mesh.origin = points.origin;
    mesh.normals = std::move(normals_);
    mesh.colours = colours_.of_vertices(notes_);
    mesh.triangles = std::move(triangles_);
    const std::vector<std::optional<Colour>> colours = face_colours_.all();
    TextureAssembly texture(notes_);
    for (const std::size_t face : faces_) texture.add_triangle(colours[face]);
    texture.finish(mesh);
    return mesh;
  }

  LineReader lines_;
  std::string_view line_;
  const std::string& name_;
  std::vector<std::string>& notes_;
  std::vector<Eigen::Vector3d> vertices_, places_;
  Points normals_;
  RawColours colours_, face_colours_;
  std::vector<std::int32_t> corners_;
  std::vector<CornerTriangle> cut_;
  std::vector<Triangle> triangles_;
  std::vector<std::size_t> faces_;  ///< of the triangles
  std::size_t polygons_ = 0, narrow_faces_ = 0;
};

}  // namespace

TriangleMesh parse_off(std::string_view text, const std::string& name, MeshReading* reading) {
  MeshReading alone;
  return OffReader(text, name, reading != nullptr ? *reading : alone).read();
}

}  // namespace p2mpp
