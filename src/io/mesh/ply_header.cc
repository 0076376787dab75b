#include "io/mesh/ply_header.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "p2mpp/error.h"

// Source: G. Turk, "The PLY Polygon File Format", 1994.
namespace p2mpp {
namespace {

constexpr std::size_t kMaxProperties = 256;  ///< of all elements together

struct PlyTypeNames {
  std::string_view name, other_name;
  PlyType type;
  std::size_t bytes;  ///< of a number in a binary file
};
constexpr std::array<PlyTypeNames, 8> kPlyTypes{{
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

class PlyHeaderParser {
 public:
  PlyHeaderParser(std::string_view bytes, const std::string& name) : lines_(bytes), name_(name) {}

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
    } else if (keyword == "comment") {
      if (take_column(columns) == "TextureFile") header_.pictures.emplace_back(trimmed(columns));
    } else if (keyword != "obj_info" && !keyword.empty()) {
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
    for (const PlyTypeNames& type : kPlyTypes) {
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

}  // namespace

std::size_t size_of(PlyType type) { return kPlyTypes[static_cast<std::size_t>(type)].bytes; }

PlyHeader parse_ply_header(std::string_view bytes, const std::string& name) {
  return PlyHeaderParser(bytes, name).parse();
}

}  // namespace p2mpp
