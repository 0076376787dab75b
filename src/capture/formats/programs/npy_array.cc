#include "capture/formats/programs/npy_array.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "base/little_endian.h"
#include "base/text.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

/// The text of the header after "'key':".
std::string_view value_of(std::string_view header, std::string_view key, const std::string& name) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos)
    throw InputError(fmt::format("{}: its header has no {}; expected a .npy", name, key));
  return trimmed(header.substr(at + key.size()));
}

std::vector<std::size_t> parse_shape(std::string_view text, const std::string& name) {
  const std::size_t end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) {
    throw InputError(name + ": its header has no shape; expected a .npy");
  }
  std::vector<std::size_t> shape;
  for (const char* at = text.data() + 1; at < text.data() + end;) {
    std::size_t side = 0;
    const auto [stopped, error] = std::from_chars(at, text.data() + end, side);
    if (error == std::errc()) shape.push_back(side);
    at = stopped == at ? at + 1 : stopped;
  }
  return shape;
}

}  // namespace

/// Source: numpy.lib.format.
NpyArray parse_npy(std::string_view bytes, const std::string& name) {
  constexpr std::string_view kMagic("\x93NUMPY", 6);
  if (!bytes.starts_with(kMagic) || bytes.size() < 12) throw InputError(name + ": is not a .npy; expected one");
  const std::size_t length_bytes = bytes[6] == 1 ? 2 : 4, start = 8 + length_bytes;
  const std::uint64_t length = little_endian(bytes.substr(8, length_bytes));
  if (length > bytes.size() - start) throw InputError(name + ": is cut off; expected a complete .npy");
  const std::string_view header = bytes.substr(start, length);
  const std::string_view type = value_of(header, "'descr':", name);
  const std::size_t size = type.starts_with("'<f8'") ? 8 : type.starts_with("'<f4'") ? 4 : 0;
  if (size == 0 || !value_of(header, "'fortran_order':", name).starts_with("False")) {
    throw InputError(
        fmt::format("{}: holds {}; expected floats in C order", name, printable(type.substr(0, type.find(',')), 20)));
  }
  NpyArray array{parse_shape(value_of(header, "'shape':", name), name), {}};
  const std::string_view data = bytes.substr(start + length);
  std::uint64_t count = 1;
  for (const std::size_t side : array.shape) {
    if (side == 0 || count > data.size() / size / side) {
      throw InputError(name + ": has fewer numbers than its shape says; expected a complete .npy");
    }
    count *= side;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t bits = little_endian(data.substr(i * size, size));
    const double value = size == 8 ? std::bit_cast<double>(bits)
                                   : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    if (!std::isfinite(value))
      throw InputError(fmt::format("{}: number {} is not finite; expected finite numbers", name, i));
    array.values.push_back(value);
  }
  return array;
}

}  // namespace p2mpp
