#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace p2mpp {

/// Decodes a little-endian number. Precondition: at most 8 bytes.
[[nodiscard]] inline std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// Appends a number, or each of several, in little-endian order.
template <std::unsigned_integral T>
void append_little_endian(std::string& bytes, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
}
inline void append_little_endian(std::string& bytes, float value) {
  append_little_endian(bytes, std::bit_cast<std::uint32_t>(value));
}
template <typename Floats>
void append_little_endian(std::string& bytes, const Floats& values) requires(sizeof(*values.begin()) == sizeof(float)) {
  for (const float value : values) append_little_endian(bytes, value);
}

}  // namespace p2mpp
