#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace p2mpp {

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
  std::vector<PlyElement> elements;   ///< in the order of the data
  std::vector<std::string> pictures;  ///< "comment TextureFile NAME", as MeshLab, OpenMVS and Metashape write it
  std::size_t byte_count = 0;         ///< of the header: the data begins there
};

/// The bytes of a number in a binary file.
[[nodiscard]] std::size_t size_of(PlyType type);

/// Parses the header of a PLY. Throws InputError naming the file and the line.
[[nodiscard]] PlyHeader parse_ply_header(std::string_view bytes, const std::string& name);

}  // namespace p2mpp
