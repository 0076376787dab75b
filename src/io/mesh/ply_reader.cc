#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "geometry/foreign/placed_points.h"
#include "geometry/foreign/polygons.h"
#include "io/mesh/mesh_formats.h"
#include "io/mesh/ply_header.h"
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

using Columns = std::array<std::size_t, 3>;

/// The indices of three properties; nullopt if one is missing.
std::optional<Columns> find_columns(const PlyElement& element, const std::array<std::string_view, 3>& names) {
  Columns columns{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    columns[axis] = find_property(element, names[axis], false);
    if (columns[axis] == element.properties.size()) return std::nullopt;
  }
  return columns;
}

void take(const Columns& columns, std::size_t property, double value, Eigen::Vector3d& vector) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (columns[axis] == property) vector[static_cast<int>(axis)] = value;
  }
}

/// A colour's channel of 8 bits: whole numbers are of the type's range, others from 0 to 1.
std::uint8_t colour_channel(double value, PlyType type) {
  const double most = type == PlyType::kFloat32 || type == PlyType::kFloat64 ? 1
                      : type == PlyType::kUint16 || type == PlyType::kInt16  ? 65535
                                                                             : 255;
  return std::isfinite(value) ? static_cast<std::uint8_t>(std::lround(255 * std::clamp(value / most, 0.0, 1.0))) : 0;
}

struct PlyContents {
  std::vector<Eigen::Vector3d> vertices;
  Points normals;
  std::vector<Colour> colours;
  std::vector<Triangle> triangles;
  std::size_t polygons = 0;
};

std::optional<Columns> find_colours(const PlyElement& element) {
  if (const auto columns = find_columns(element, {"red", "green", "blue"})) return columns;
  return find_columns(element, {"diffuse_red", "diffuse_green", "diffuse_blue"});
}

void read_vertices(PlyNumbers& numbers, const PlyElement& element, PlyContents& contents) {
  const auto places = find_columns(element, {"x", "y", "z"});
  if (!places) numbers.fail("its vertices have no x, y and z");
  const auto normals = find_columns(element, {"nx", "ny", "nz"});
  const auto colours = find_colours(element);
  for (std::uint64_t row = 0; row < element.count; ++row) {
    Eigen::Vector3d vertex = Eigen::Vector3d::Zero(), normal = vertex, colour = vertex;
    read_element(numbers, element, [&](std::size_t property, std::uint32_t, double value) {
      take(*places, property, value, vertex);
      if (normals) take(*normals, property, value, normal);
      if (colours) take(*colours, property, value, colour);
    });
    if (!vertex.cast<float>().allFinite()) numbers.fail(fmt::format("vertex {} is not finite", row));
    contents.vertices.push_back(vertex);
    Eigen::Vector3f direction = normal.cast<float>();
    if (!direction.allFinite()) direction.setZero();
    if (normals) contents.normals.push_back(direction.stableNormalized());
    if (!colours) continue;
    Colour& bytes = contents.colours.emplace_back();
    for (std::size_t i = 0; i < 3; ++i) {
      bytes[i] = colour_channel(colour[static_cast<int>(i)], element.properties[(*colours)[i]].type);
    }
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

void append_face(const PlyNumbers& numbers, std::uint64_t row, const std::vector<std::int32_t>& corners,
                 PlyContents& contents) {
  if (corners.size() < 3) numbers.fail(fmt::format("face {} has {} corners", row, corners.size()));
  if (corners.size() == 3) {
    contents.triangles.push_back({corners[0], corners[1], corners[2]});
    return;
  }
  std::vector<Eigen::Vector3d> places;
  places.reserve(corners.size());
  for (const std::int32_t corner : corners) places.push_back(contents.vertices[static_cast<std::size_t>(corner)]);
  std::vector<CornerTriangle> triangles;
  try {
    append_polygon(places, triangles);
  } catch (const InputError& error) {
    numbers.fail(fmt::format("face {}: {}", row, error.what()));
  }
  for (const auto& [a, b, c] : triangles) contents.triangles.push_back({corners[a], corners[b], corners[c]});
  ++contents.polygons;
}

void read_faces(PlyNumbers& numbers, const PlyElement& element, PlyContents& contents) {
  std::size_t column = find_property(element, "vertex_indices", true);
  if (column == element.properties.size()) column = find_property(element, "vertex_index", true);
  if (column == element.properties.size()) numbers.fail("its faces have no list vertex_indices");
  std::vector<std::int32_t> corners;
  for (std::uint64_t row = 0; row < element.count; ++row) {
    corners.clear();
    read_element(numbers, element, [&](std::size_t property, std::uint32_t, double value) {
      if (property == column) corners.push_back(checked_index(numbers, value, contents.vertices.size()));
    });
    append_face(numbers, row, corners, contents);
  }
}

void skip(PlyNumbers& numbers, const PlyElement& element) {
  for (std::uint64_t row = 0; row < element.count; ++row) {
    read_element(numbers, element, [](std::size_t, std::uint32_t, double) {});
  }
}

enum class Wanted { kPoints, kMesh };

PlyContents parse_contents(std::string_view bytes, const std::string& name, Wanted wanted) {
  const PlyHeader header = parse_ply_header(bytes, name);
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

}  // namespace

TriangleMesh parse_ply(std::string_view bytes, const std::string& name, MeshReading* reading) {
  PlyContents contents = parse_contents(bytes, name, Wanted::kMesh);
  if (contents.polygons > 0 && reading != nullptr) reading->notes.push_back(polygon_note(contents.polygons));
  TriangleMesh mesh;
  mesh.normals = if_of_all(std::move(contents.normals), contents);
  mesh.colours = if_of_all(std::move(contents.colours), contents);
  PlacedPoints points = placed(contents.vertices);
  mesh.vertices = std::move(points.points);
  mesh.origin = points.origin;
  mesh.triangles = std::move(contents.triangles);
  return mesh;
}

std::vector<Eigen::Vector3d> parse_ply_points(std::string_view bytes, const std::string& name) {
  return parse_contents(bytes, name, Wanted::kPoints).vertices;
}

}  // namespace p2mpp
