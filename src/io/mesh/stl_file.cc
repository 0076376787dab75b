#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/little_endian.h"
#include "base/text.h"
#include "base/with_prefix.h"
#include "geometry/foreign/placed_points.h"
#include "geometry/foreign/polygons.h"
#include "io/mesh/mesh_formats.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr std::size_t kHeaderBytes = 80, kTriangleBytes = 50;

Eigen::Vector3f vector_at(std::string_view bytes, std::size_t place) {
  Eigen::Vector3f vector;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto word = static_cast<std::uint32_t>(little_endian(bytes.substr(place + 4 * axis, 4)));
    vector[static_cast<int>(axis)] = std::bit_cast<float>(word);
  }
  return vector;
}

/// The triangles of a binary STL, if its bytes hold as many as its header says. Some programs append bytes of their
/// own.
std::optional<std::size_t> binary_triangle_count(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes + 4) return std::nullopt;
  const std::size_t count = little_endian(bytes.substr(kHeaderBytes, 4));
  const bool fits = count > 0 && count <= (bytes.size() - kHeaderBytes - 4) / kTriangleBytes;
  return fits ? std::optional(count) : std::nullopt;
}

/// Joins corners at the same place to one vertex, in the order of their first occurrence.
class StlMesh {
 public:
  explicit StlMesh(const std::string& name) : name_(name) {}

  void add_triangle(const std::array<Eigen::Vector3d, 3>& corners) {
    Triangle& triangle = mesh_.triangles.emplace_back();
    for (std::size_t i = 0; i < 3; ++i) {
      const Eigen::Vector3d& place = corners[i];
      if (!place.cast<float>().allFinite()) {
        throw InputError(fmt::format("{}: triangle {} is not finite; expected finite coordinates", name_,
                                     mesh_.triangles.size() - 1));
      }
      const auto [known, is_new] =
          vertices_.emplace(std::tuple(place.x(), place.y(), place.z()), static_cast<std::int32_t>(places_.size()));
      if (is_new) places_.push_back(place);
      triangle[i] = known->second;
    }
  }

  [[nodiscard]] bool is_empty() const { return mesh_.triangles.empty(); }

  TriangleMesh finish() {
    PlacedPoints points = placed(places_);
    mesh_.vertices = std::move(points.points);
    mesh_.origin = points.origin;
    return std::move(mesh_);
  }

 private:
  const std::string& name_;
  TriangleMesh mesh_;
  std::vector<Eigen::Vector3d> places_;
  std::map<std::tuple<double, double, double>, std::int32_t> vertices_;
};

TriangleMesh parse_binary_stl(std::string_view bytes, std::size_t count, const std::string& name) {
  StlMesh mesh(name);
  for (std::size_t t = 0; t < count; ++t) {
    std::array<Eigen::Vector3d, 3> corners;
    for (std::size_t i = 0; i < 3; ++i) {
      corners[i] = vector_at(bytes, kHeaderBytes + 4 + t * kTriangleBytes + 12 * (i + 1)).cast<double>();
    }
    mesh.add_triangle(corners);
  }
  return mesh.finish();
}

/// Keywords may be in capitals, and lines before "solid" empty.
bool is_text_stl(std::string_view bytes) {
  const std::string_view head = without_byte_order_mark(bytes.substr(0, 1024));
  const std::string_view begins = head.substr(std::min(head.find_first_not_of(" \t\r\n"), head.size()), 5);
  const auto is_letter = [](char a, char b) { return a == b || a == (b & ~0x20); };
  constexpr std::string_view kFacet = "facet";
  return lower_case(begins) == "solid" &&
         std::search(bytes.begin(), bytes.end(), kFacet.begin(), kFacet.end(), is_letter) != bytes.end();
}

/// The first word of a line decides; lines of other kinds, such as colours, are skipped.
TriangleMesh parse_text_stl(std::string_view text, const std::string& name, MeshReading& reading) {
  StlMesh mesh(name);
  std::vector<Eigen::Vector3d> loop;
  std::vector<CornerTriangle> triangles;
  std::size_t polygons = 0, narrow_faces = 0;
  bool is_closed = true;
  LineReader lines(text);
  const auto fail = [&](const std::string& problem) {
    throw InputError(fmt::format("{}:{}: {}; expected an STL with triangles", name, lines.number(), problem));
  };
  for (std::string_view line; lines.next(line);) {
    const std::string kind = lower_case(take_column(line));
    if (kind == "facet") {
      loop.clear();
      is_closed = false;
    } else if (kind == "vertex") {
      Eigen::Vector3d& vertex = loop.emplace_back();
      for (double& coordinate : vertex) {
        const std::string_view column = take_column(line);
        const std::optional<double> value = parse_finite(column);
        if (!value) fail(fmt::format("a vertex with '{}'", printable(column, 40)));
        coordinate = *value;
      }
    } else if (kind == "endfacet") {
      is_closed = true;
      polygons += loop.size() > 3 ? 1 : 0;
      narrow_faces += loop.size() < 3 ? 1 : 0;
      triangles.clear();
      if (loop.size() >= 3) with_prefix(name + ": ", [&] { append_polygon(loop, triangles); });
      for (const auto& [a, b, c] : triangles) mesh.add_triangle({loop[a], loop[b], loop[c]});
    }
  }
  if (!is_closed) fail("is cut off");
  if (mesh.is_empty()) fail("has no triangle");
  if (polygons > 0) reading.notes.push_back(polygon_note(polygons));
  if (narrow_faces > 0) reading.notes.push_back(narrow_face_note(narrow_faces));
  return mesh.finish();
}

[[noreturn]] void refuse_stl(std::string_view bytes, const std::string& name) {
  const std::size_t head = kHeaderBytes + 4;
  const std::size_t count = bytes.size() < head ? 0 : little_endian(bytes.substr(kHeaderBytes, 4));
  std::string what =
      fmt::format("has {} bytes where {} triangles take {}", bytes.size(), count, head + count * kTriangleBytes);
  if (bytes.size() < head) what = "is cut off";
  if (bytes.size() >= head && count == 0) what = "has no triangle";
  throw InputError(fmt::format("{}: {}; expected an STL with triangles", name, what));
}

}  // namespace

TriangleMesh parse_stl(std::string_view bytes, const std::string& name, MeshReading* reading) {
  MeshReading alone;
  // The size decides: binary files may begin with "solid", too.
  const std::optional<std::size_t> count = binary_triangle_count(bytes);
  if (count && bytes.size() == kHeaderBytes + 4 + *count * kTriangleBytes) return parse_binary_stl(bytes, *count, name);
  if (is_text_stl(bytes)) return parse_text_stl(bytes, name, reading != nullptr ? *reading : alone);
  if (!count) refuse_stl(bytes, name);
  return parse_binary_stl(bytes, *count, name);
}

std::string format_stl(const TriangleMesh& mesh, const std::string& comment) {
  std::string bytes = "binary STL by p2mpp";  // must not begin with "solid", which marks a text STL
  if (const std::size_t frame = comment.rfind(", frame "); frame != std::string::npos) bytes += comment.substr(frame);
  bytes.reserve(kHeaderBytes + 4 + kTriangleBytes * mesh.triangles.size());
  bytes.resize(kHeaderBytes, ' ');
  append_little_endian(bytes, static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const Triangle& triangle : mesh.triangles) {
    const auto corner = [&](std::size_t i) { return mesh.vertices[static_cast<std::size_t>(triangle[i])]; };
    const auto place = [&](std::size_t i) -> Eigen::Vector3f {
      if (mesh.origin.isZero(0)) return corner(i);
      return placed_vertex(mesh, static_cast<std::size_t>(triangle[i])).cast<float>();
    };
    const Eigen::Vector3d along = (corner(1) - corner(0)).cast<double>(),
                          across = (corner(2) - corner(0)).cast<double>();
    append_little_endian(bytes, along.cross(across).stableNormalized().cast<float>().eval());
    for (std::size_t i = 0; i < 3; ++i) append_little_endian(bytes, place(i));
    append_little_endian(bytes, std::uint16_t{0});
  }
  return bytes;
}

}  // namespace p2mpp
