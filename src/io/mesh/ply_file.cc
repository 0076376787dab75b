#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/little_endian.h"
#include "base/text.h"
#include "io/mesh/mesh_formats.h"
#include "p2mpp/error.h"

// Source: G. Turk, "The PLY Polygon File Format", 1994.
namespace p2mpp {
namespace {

enum class PlyFormat { kAscii, kBinaryLittleEndian, kBinaryBigEndian };
enum class PlyType { kInt8, kUint8, kInt16, kUint16, kInt32, kUint32, kFloat32, kFloat64 };

struct PlyProperty {
  std::string name;
  PlyType type = PlyType::kFloat32;   ///< of the value or, in a list, of each item
  std::optional<PlyType> count_type;  ///< of a list's length; no list without it
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;  ///< at least one
};

struct PlyHeader {
  PlyFormat format = PlyFormat::kAscii;
  std::vector<PlyElement> elements;  ///< in the order of the data
  std::size_t byte_count = 0;        ///< of the header: the data begins there
};

constexpr std::size_t kMaxProperties = 256;  ///< of all elements together

struct PlyTypeNames {
  std::string_view name, other_name;
  PlyType type;
  std::size_t bytes;  ///< of a number in a binary file
};
constexpr std::array<PlyTypeNames, 8> kTypes{{
    // in the order of PlyType
    {"char", "int8", PlyType::kInt8, 1},
    {"uchar", "uint8", PlyType::kUint8, 1},
    {"short", "int16", PlyType::kInt16, 2},
    {"ushort", "uint16", PlyType::kUint16, 2},
    {"int", "int32", PlyType::kInt32, 4},
    {"uint", "uint32", PlyType::kUint32, 4},
    {"float", "float32", PlyType::kFloat32, 4},
    {"double", "float64", PlyType::kFloat64, 8},
}};

std::size_t size_of(PlyType type) { return kTypes[static_cast<std::size_t>(type)].bytes; }

class HeaderParser {
 public:
  HeaderParser(std::string_view bytes, const std::string& name) : lines_(bytes), name_(name) {}

  PlyHeader parse() {
    std::string_view line;
    if (!lines_.next(line) || trimmed(line) != "ply") fail("does not begin with 'ply'");
    while (lines_.next(line)) {
      std::string_view columns = line;
      const std::string_view keyword = take_column(columns);
      if (keyword == "end_header") return finished();
      parse_line(keyword, columns);
    }
    fail("the header has no end_header");
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw InputError(fmt::format("{}:{}: {}; expected a PLY file", name_, lines_.number(), problem));
  }

  void parse_line(std::string_view keyword, std::string_view columns) {
    if (keyword == "format") {
      parse_format(take_column(columns));
    } else if (keyword == "element") {
      parse_element(columns);
    } else if (keyword == "property") {
      parse_property(columns);
    } else if (keyword != "comment" && keyword != "obj_info" && !keyword.empty()) {
      fail(fmt::format("'{}' is unknown in a header", printable(keyword, 40)));
    }
  }

  void parse_format(std::string_view format) {
    has_format_ = true;
    if (format == "ascii") {
      header_.format = PlyFormat::kAscii;
    } else if (format == "binary_little_endian") {
      header_.format = PlyFormat::kBinaryLittleEndian;
    } else if (format == "binary_big_endian") {
      header_.format = PlyFormat::kBinaryBigEndian;
    } else {
      fail(fmt::format("format '{}' is unknown", printable(format, 40)));
    }
  }

  void parse_element(std::string_view columns) {
    check_last_element();
    PlyElement element;
    element.name = take_column(columns);
    const std::string_view count = take_column(columns);
    const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), element.count);
    if (element.name.empty() || count.empty() || error != std::errc() || end != count.data() + count.size()) {
      fail(fmt::format("element count '{}' is not a number", printable(count, 40)));
    }
    header_.elements.push_back(std::move(element));
  }

  void parse_property(std::string_view columns) {
    if (header_.elements.empty()) fail("a property before the first element");
    if (++property_count_ > kMaxProperties) fail(fmt::format("more than {} properties", kMaxProperties));
    PlyProperty property;
    std::string_view type = take_column(columns);
    if (type == "list") {
      property.count_type = parse_type(take_column(columns));
      if (size_of(*property.count_type) > 4 || *property.count_type == PlyType::kFloat32)
        fail("a list's count is not an integer");
      type = take_column(columns);
    }
    property.type = parse_type(type);
    property.name = take_column(columns);
    if (property.name.empty()) fail("a property without a name");
    header_.elements.back().properties.push_back(std::move(property));
  }

  [[nodiscard]] PlyType parse_type(std::string_view text) const {
    for (const PlyTypeNames& type : kTypes) {
      if (type.name == text || type.other_name == text) return type.type;
    }
    fail(fmt::format("type '{}' is unknown", printable(text, 40)));
  }

  /// Without properties, a file could declare any number of elements without needing bytes for them.
  void check_last_element() const {
    if (!header_.elements.empty() && header_.elements.back().properties.empty()) fail("an element without properties");
  }

  PlyHeader finished() {
    check_last_element();
    if (!has_format_) fail("the header has no format");
    header_.byte_count = lines_.offset();
    return std::move(header_);
  }

  LineReader lines_;
  const std::string& name_;
  PlyHeader header_;
  bool has_format_ = false;
  std::size_t property_count_ = 0;
};

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
    const std::optional<double> value = parse_finite(token);
    if (!value) fail(fmt::format("'{}' is not a finite number", printable(token, 40)));
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

void take(const Columns& columns, std::size_t property, double value, Eigen::Vector3f& vector) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (columns[axis] == property) vector[static_cast<int>(axis)] = static_cast<float>(value);
  }
}

void read_vertices(PlyNumbers& numbers, const PlyElement& element, TriangleMesh& mesh) {
  const auto places = find_columns(element, {"x", "y", "z"});
  if (!places) numbers.fail("its vertices have no x, y and z");
  const auto normals = find_columns(element, {"nx", "ny", "nz"});
  for (std::uint64_t row = 0; row < element.count; ++row) {
    Eigen::Vector3f vertex, normal = Eigen::Vector3f::Zero();
    read_element(numbers, element, [&](std::size_t property, std::uint32_t, double value) {
      take(*places, property, value, vertex);
      if (normals) take(*normals, property, value, normal);
    });
    if (!vertex.allFinite()) numbers.fail(fmt::format("vertex {} is not finite", row));
    mesh.vertices.push_back(vertex);
    if (!normal.allFinite()) normal.setZero();
    if (normals) mesh.normals.push_back(normal.stableNormalized());
  }
}

std::int32_t checked_index(const PlyNumbers& numbers, double value, std::size_t vertex_count) {
  if (!(value >= 0 && value < static_cast<double>(vertex_count)) || value != std::floor(value)) {
    numbers.fail(fmt::format("a face names vertex {} of {}", value, vertex_count));
  }
  return static_cast<std::int32_t>(value);
}

void read_faces(PlyNumbers& numbers, const PlyElement& element, TriangleMesh& mesh) {
  std::size_t column = find_property(element, "vertex_indices", true);
  if (column == element.properties.size()) column = find_property(element, "vertex_index", true);
  if (column == element.properties.size()) numbers.fail("its faces have no list vertex_indices");
  for (std::uint64_t row = 0; row < element.count; ++row) {
    Triangle triangle{};
    std::uint32_t corner_count = 0;
    read_element(numbers, element, [&](std::size_t property, std::uint32_t item, double value) {
      if (property != column) return;
      if (item >= 3) numbers.fail(fmt::format("face {} is not a triangle", row));
      triangle[item] = checked_index(numbers, value, mesh.vertices.size());
      corner_count = item + 1;
    });
    if (corner_count != 3) numbers.fail(fmt::format("face {} is not a triangle", row));
    mesh.triangles.push_back(triangle);
  }
}

void skip(PlyNumbers& numbers, const PlyElement& element) {
  for (std::uint64_t row = 0; row < element.count; ++row) {
    read_element(numbers, element, [](std::size_t, std::uint32_t, double) {});
  }
}

enum class Wanted { kPoints, kMesh };

TriangleMesh parse(std::string_view bytes, const std::string& name, Wanted wanted) {
  const PlyHeader header = HeaderParser(bytes, name).parse();
  PlyNumbers numbers(bytes.substr(std::min(header.byte_count, bytes.size())), header.format, name);
  TriangleMesh mesh;
  for (const PlyElement& element : header.elements) {
    if (element.name == "vertex") {
      read_vertices(numbers, element, mesh);
      if (wanted == Wanted::kPoints) break;
    } else if (element.name == "face" && wanted == Wanted::kMesh) {
      read_faces(numbers, element, mesh);
    } else {
      skip(numbers, element);
    }
  }
  if (mesh.vertices.empty()) numbers.fail("has no vertex");
  if (mesh.normals.size() != mesh.vertices.size()) mesh.normals = {};
  return mesh;
}

std::string header_of(const TriangleMesh& mesh, const std::string& comment) {
  std::string text = "ply\nformat binary_little_endian 1.0\n";
  if (!comment.empty()) text += fmt::format("comment {}\n", comment);
  text += fmt::format("element vertex {}\n", mesh.vertices.size());
  for (const char* name : {"x", "y", "z"}) text += fmt::format("property float {}\n", name);
  if (!mesh.normals.empty()) {
    for (const char* name : {"nx", "ny", "nz"}) text += fmt::format("property float {}\n", name);
  }
  if (!mesh.triangles.empty()) {
    text += fmt::format("element face {}\nproperty list uchar int vertex_indices\n", mesh.triangles.size());
  }
  return text + "end_header\n";
}

}  // namespace

TriangleMesh parse_ply(std::string_view bytes, const std::string& name) { return parse(bytes, name, Wanted::kMesh); }

Points parse_ply_points(std::string_view bytes, const std::string& name) {
  return parse(bytes, name, Wanted::kPoints).vertices;
}

std::string format_ply(const TriangleMesh& mesh, const std::string& comment) {
  std::string bytes = header_of(mesh, comment);
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    append_little_endian(bytes, mesh.vertices[i]);
    if (!mesh.normals.empty()) append_little_endian(bytes, mesh.normals[i]);
  }
  for (const Triangle& triangle : mesh.triangles) {
    bytes += '\3';
    for (const std::int32_t vertex : triangle) append_little_endian(bytes, static_cast<std::uint32_t>(vertex));
  }
  return bytes;
}

}  // namespace p2mpp
