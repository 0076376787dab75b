#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "geometry/foreign/placed_points.h"
#include "geometry/foreign/polygons.h"
#include "io/mesh/mesh_formats.h"
#include "io/mesh/mesh_reading.h"
#include "io/mesh/ply_header.h"
#include "io/mesh/texture_assembly.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

template <typename T>
double from_bytes(std::array<char, 8> bytes, bool swapped) {
  if (swapped) std::reverse(bytes.begin(), bytes.begin() + sizeof(T));
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return static_cast<double>(value);
}

double decode(PlyType type, const std::array<char, 8>& bytes, bool swapped) {
  switch (type) {
    case PlyType::kInt8:
      return from_bytes<std::int8_t>(bytes, swapped);
    case PlyType::kUint8:
      return from_bytes<std::uint8_t>(bytes, swapped);
    case PlyType::kInt16:
      return from_bytes<std::int16_t>(bytes, swapped);
    case PlyType::kUint16:
      return from_bytes<std::uint16_t>(bytes, swapped);
    case PlyType::kInt32:
      return from_bytes<std::int32_t>(bytes, swapped);
    case PlyType::kUint32:
      return from_bytes<std::uint32_t>(bytes, swapped);
    case PlyType::kFloat32:
      return from_bytes<float>(bytes, swapped);
    case PlyType::kFloat64:
      break;
  }
  return from_bytes<double>(bytes, swapped);
}

constexpr std::size_t kMostPictures = 1'000;

/// Reads one number after the other, in any format.
class PlyNumbers {
 public:
  PlyNumbers(std::string_view data, PlyFormat format, const std::string& name)
      : data_(data), format_(format), name_(name) {}

  double next(PlyType type) { return format_ == PlyFormat::kAscii ? next_ascii() : next_binary(type); }

  std::uint32_t next_length(PlyType type) {
    const double length = next(type);
    if (!(length >= 0 && length <= kMaxLength) || length != std::floor(length))
      fail("a list of negative or broken length");
    return static_cast<std::uint32_t>(length);
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw InputError(fmt::format("{}: {}; expected a complete PLY file", name_, problem));
  }

 private:
  static constexpr double kMaxLength = 4294967295.0;

  double next_binary(PlyType type) {
    const std::size_t size = size_of(type);
    if (data_.size() < size) fail("is cut off");
    std::array<char, 8> bytes{};
    std::copy_n(data_.begin(), size, bytes.begin());
    data_.remove_prefix(size);
    const auto order = format_ == PlyFormat::kBinaryBigEndian ? std::endian::big : std::endian::little;
    return decode(type, bytes, order != std::endian::native);
  }

  double next_ascii() {
    data_.remove_prefix(std::min(data_.find_first_not_of(" \t\r\n"), data_.size()));
    const std::string_view token = data_.substr(0, data_.find_first_of(" \t\r\n"));
    if (token.empty()) fail("is cut off");
    data_.remove_prefix(token.size());
    const std::optional<double> value = parse_any_number(token);
    if (!value) fail(fmt::format("'{}' is not a number", printable(token, 40)));
    return *value;
  }

  std::string_view data_;
  PlyFormat format_;
  const std::string& name_;
};

/// Reads the properties of an element in order, and calls take(property index, item index, value) for every number.
template <typename Take>
void read_element(PlyNumbers& numbers, const PlyElement& element, const Take& take) {
  for (std::size_t i = 0; i < element.properties.size(); ++i) {
    const PlyProperty& property = element.properties[i];
    const std::uint32_t length = property.count_type ? numbers.next_length(*property.count_type) : 1;
    for (std::uint32_t item = 0; item < length; ++item) take(i, item, numbers.next(property.type));
  }
}

std::size_t find_property(const PlyElement& element, std::string_view name, bool is_list) {
  const auto found = std::find_if(
      element.properties.begin(), element.properties.end(),
      [&](const PlyProperty& property) { return property.name == name && property.count_type.has_value() == is_list; });
  return static_cast<std::size_t>(found - element.properties.begin());
}

/// The indices of several properties; nullopt if one is missing.
template <std::size_t N>
using PlyColumns = std::array<std::size_t, N>;

template <std::size_t N>
std::optional<PlyColumns<N>> find_columns(const PlyElement& element, const std::array<std::string_view, N>& names) {
  PlyColumns<N> columns{};
  for (std::size_t axis = 0; axis < N; ++axis) {
    columns[axis] = find_property(element, names[axis], false);
    if (columns[axis] == element.properties.size()) return std::nullopt;
  }
  return columns;
}

/// The first of several names that are all there.
template <std::size_t N>
std::optional<PlyColumns<N>> find_columns(const PlyElement& element,
                                          std::initializer_list<std::array<std::string_view, N>> choices) {
  for (const std::array<std::string_view, N>& names : choices) {
    if (const auto found = find_columns(element, names)) return found;
  }
  return std::nullopt;
}

template <std::size_t N>
void take(const std::optional<PlyColumns<N>>& columns, std::size_t property, double value,
          std::array<double, N>& values) {
  for (std::size_t axis = 0; columns && axis < N; ++axis) {
    if ((*columns)[axis] == property) values[axis] = value;
  }
}

Eigen::Vector3d to_vector(const std::array<double, 3>& values) { return {values[0], values[1], values[2]}; }

std::optional<PlyColumns<3>> find_colours(const PlyElement& element) {
  return find_columns<3>(element,
                         {{"red", "green", "blue"}, {"diffuse_red", "diffuse_green", "diffuse_blue"}, {"r", "g", "b"}});
}

/// Colours of whole numbers are not from 0 to 1.
RawColours colours_for(const PlyElement& element, const std::optional<PlyColumns<3>>& columns) {
  if (!columns) return RawColours();
  const PlyType type = element.properties[(*columns)[0]].type;
  return RawColours(type == PlyType::kFloat32 || type == PlyType::kFloat64 ? 1 : 255);
}

struct PlyContents {
  std::vector<Eigen::Vector3d> vertices;
  Points normals;
  RawColours colours, face_colours;
  std::vector<Eigen::Vector2f> places;  ///< of the vertices in the picture
  std::vector<Triangle> triangles;
  std::vector<std::size_t> faces;                             ///< of the triangles, in face_colours and pictures
  std::vector<std::array<Eigen::Vector2f, 3>> corner_places;  ///< of the triangles, if the faces have them
  std::vector<std::size_t> pictures;                          ///< of the faces
  std::size_t polygons = 0, narrow_faces = 0;
};

void read_vertices(PlyNumbers& numbers, const PlyElement& element, PlyContents& contents) {
  const auto places = find_columns<3>(element, {{"x", "y", "z"}});
  if (!places) numbers.fail("its vertices have no x, y and z");
  const auto normals = find_columns<3>(element, {{"nx", "ny", "nz"}});
  const auto colours = find_colours(element);
  const auto in_picture = find_columns<2>(element, {{"s", "t"}, {"u", "v"}, {"texture_u", "texture_v"}});
  if (contents.vertices.empty()) contents.colours = colours_for(element, colours);
  for (std::uint64_t row = 0; row < element.count; ++row) {
    std::array<double, 3> vertex{}, normal{}, colour{};
    std::array<double, 2> uv{};
    read_element(numbers, element, [&](std::size_t property, std::uint32_t, double value) {
      take(places, property, value, vertex);
      take(normals, property, value, normal);
      take(colours, property, value, colour);
      take(in_picture, property, value, uv);
    });
    if (!to_vector(vertex).cast<float>().allFinite()) numbers.fail(fmt::format("vertex {} is not finite", row));
    contents.vertices.push_back(to_vector(vertex));
    Eigen::Vector3f direction = to_vector(normal).cast<float>();
    if (!direction.allFinite()) direction.setZero();
    if (normals) contents.normals.push_back(direction.stableNormalized());
    if (colours) contents.colours.add(colour);
    if (in_picture) contents.places.push_back(Eigen::Vector2d(uv[0], 1 - uv[1]).cast<float>());
  }
  // Some programs write NaN for normals that they do not know.
  if (std::ranges::all_of(contents.normals, [](const Eigen::Vector3f& each) { return each.isZero(0); })) {
    contents.normals.clear();
  }
}

std::int32_t checked_index(const PlyNumbers& numbers, double value, std::size_t vertex_count) {
  if (!(value >= 0 && value < static_cast<double>(vertex_count)) || value != std::floor(value)) {
    numbers.fail(fmt::format("a face names vertex {} of {}", value, vertex_count));
  }
  return static_cast<std::int32_t>(value);
}

/// A face as it is in the file.
struct PlyFace {
  std::vector<std::int32_t> corners;
  std::vector<double> places;  ///< u and v of each corner in the picture
  std::array<double, 3> colour{};
  double picture = 0;
};

void append_face(const PlyNumbers& numbers, std::uint64_t row, const PlyFace& face, PlyContents& contents) {
  const std::vector<std::int32_t>& corners = face.corners;
  if (corners.size() < 3) {
    ++contents.narrow_faces;
    return;
  }
  std::vector<CornerTriangle> triangles = {{0, 1, 2}};
  if (corners.size() > 3) {
    std::vector<Eigen::Vector3d> places;
    places.reserve(corners.size());
    for (const std::int32_t corner : corners) places.push_back(contents.vertices[static_cast<std::size_t>(corner)]);
    triangles.clear();
    try {
      append_polygon(places, triangles);
    } catch (const InputError& error) {
      numbers.fail(fmt::format("face {}: {}", row, error.what()));
    }
    ++contents.polygons;
  }
  for (const CornerTriangle& triangle : triangles) {
    Triangle& vertices = contents.triangles.emplace_back();
    std::array<Eigen::Vector2f, 3>& uvs = contents.corner_places.emplace_back();
    for (std::size_t i = 0; i < 3; ++i) {
      vertices[i] = corners[triangle[i]];
      const std::size_t at = 2 * std::size_t{triangle[i]};
      const bool has_place = at + 1 < face.places.size();
      const Eigen::Vector2d place =
          has_place ? Eigen::Vector2d(face.places[at], 1 - face.places[at + 1]) : Eigen::Vector2d(NAN, NAN);
      uvs[i] = place.cast<float>();
    }
    contents.faces.push_back(contents.pictures.size());
  }
  contents.pictures.push_back(face.picture >= 0 && face.picture < kMostPictures ? static_cast<std::size_t>(face.picture)
                                                                                : 0);
}

void read_faces(PlyNumbers& numbers, const PlyElement& element, PlyContents& contents) {
  std::size_t column = find_property(element, "vertex_indices", true);
  if (column == element.properties.size()) column = find_property(element, "vertex_index", true);
  if (column == element.properties.size()) numbers.fail("its faces have no list vertex_indices");
  const std::size_t places = find_property(element, "texcoord", true),
                    picture = find_property(element, "texnumber", false);
  const auto colours = find_colours(element);
  if (contents.triangles.empty()) contents.face_colours = colours_for(element, colours);
  PlyFace face;
  for (std::uint64_t row = 0; row < element.count; ++row) {
    face.corners.clear();
    face.places.clear();
    read_element(numbers, element, [&](std::size_t property, std::uint32_t, double value) {
      if (property == column) face.corners.push_back(checked_index(numbers, value, contents.vertices.size()));
      if (property == places) face.places.push_back(value);
      if (property == picture) face.picture = value;
      take(colours, property, value, face.colour);
    });
    append_face(numbers, row, face, contents);
    if (face.corners.size() < 3) continue;
    if (colours) {
      contents.face_colours.add(face.colour);
    } else {
      contents.face_colours.add_none();
    }
  }
}

void skip(PlyNumbers& numbers, const PlyElement& element) {
  for (std::uint64_t row = 0; row < element.count; ++row) {
    read_element(numbers, element, [](std::size_t, std::uint32_t, double) {});
  }
}

enum class Wanted { kPoints, kMesh };

PlyContents parse_contents(std::string_view bytes, const PlyHeader& header, const std::string& name, Wanted wanted) {
  PlyNumbers numbers(bytes.substr(std::min(header.byte_count, bytes.size())), header.format, name);
  PlyContents contents;
  for (const PlyElement& element : header.elements) {
    if (element.name == "vertex") {
      read_vertices(numbers, element, contents);
      if (wanted == Wanted::kPoints) break;
    } else if (element.name == "face" && wanted == Wanted::kMesh) {
      read_faces(numbers, element, contents);
    } else {
      skip(numbers, element);
    }
  }
  if (contents.vertices.empty()) numbers.fail("has no vertex");
  return contents;
}

/// A list of the vertices, unless several elements of that name differ in what they have.
template <typename List>
List if_of_all(List list, const PlyContents& contents) {
  return list.size() == contents.vertices.size() ? std::move(list) : List{};
}

/// The parts of the pictures in the texture, as they are used. One that cannot be read gives a note.
class PlyPictures {
 public:
  PlyPictures(const PlyHeader& header, MeshReading& reading, TextureAssembly& texture)
      : header_(header), reading_(reading), texture_(texture) {}

  std::optional<std::size_t> part(std::size_t picture) {
    if (picture >= header_.pictures.size() || reading_.folder.empty()) return std::nullopt;
    const auto [known, is_new] = parts_.try_emplace(picture);
    if (!is_new) return known->second;
    const std::string& name = header_.pictures[picture];
    try {
      known->second = texture_.add_picture(read_companion(reading_, name), name);
    } catch (const InputError& error) {
      reading_.notes.push_back(fmt::format("a picture is not used: {}", error.what()));
    }
    return known->second;
  }

 private:
  const PlyHeader& header_;
  MeshReading& reading_;
  TextureAssembly& texture_;
  std::map<std::size_t, std::optional<std::size_t>> parts_;
};

/// Gives the mesh the pictures, or else the colours of the faces.
void paint(const PlyContents& contents, const PlyHeader& header, MeshReading& reading, TriangleMesh& mesh) {
  TextureAssembly texture(reading.notes);
  PlyPictures pictures(header, reading, texture);
  const std::vector<std::optional<Colour>> colours = contents.face_colours.all();
  const bool has_places = contents.places.size() == contents.vertices.size();
  for (std::size_t t = 0; t < contents.triangles.size(); ++t) {
    std::array<Eigen::Vector2f, 3> places = contents.corner_places[t];
    const bool is_of_vertices = has_places && !places[0].allFinite();
    for (std::size_t i = 0; i < 3 && is_of_vertices; ++i) {
      places[i] = contents.places[static_cast<std::size_t>(contents.triangles[t][i])];
    }
    const std::size_t face = contents.faces[t];
    const bool has_places_in_picture = places[0].allFinite();
    if (const auto part = has_places_in_picture ? pictures.part(contents.pictures[face]) : std::nullopt) {
      texture.add_triangle(part, places);
    } else {
      texture.add_triangle(colours[face]);
    }
  }
  texture.finish(mesh);
}

}  // namespace

TriangleMesh parse_ply(std::string_view bytes, const std::string& name, MeshReading* reading) {
  MeshReading alone;
  MeshReading& extras = reading != nullptr ? *reading : alone;
  const PlyHeader header = parse_ply_header(bytes, name);
  PlyContents contents = parse_contents(bytes, header, name, Wanted::kMesh);
  if (contents.polygons > 0) extras.notes.push_back(polygon_note(contents.polygons));
  if (contents.narrow_faces > 0) extras.notes.push_back(narrow_face_note(contents.narrow_faces));
  TriangleMesh mesh;
  // Unless several elements of that name differ in what they have.
  if (contents.normals.size() == contents.vertices.size()) mesh.normals = std::move(contents.normals);
  if (contents.colours.size() == contents.vertices.size()) mesh.colours = contents.colours.of_vertices(extras.notes);
  PlacedPoints points = placed(contents.vertices);
  mesh.vertices = std::move(points.points);
  mesh.origin = points.origin;
  paint(contents, header, extras, mesh);
  mesh.triangles = std::move(contents.triangles);
  return mesh;
}

std::vector<Eigen::Vector3d> parse_ply_points(std::string_view bytes, const std::string& name) {
  return parse_contents(bytes, parse_ply_header(bytes, name), name, Wanted::kPoints).vertices;
}

}  // namespace p2mpp
