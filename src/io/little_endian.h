#pragma once

#include <cstdint>
#include <string_view>

namespace p2mpp {

/// The number that at most 8 bytes hold, the lowest first.
[[nodiscard]] inline std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace p2mpp
