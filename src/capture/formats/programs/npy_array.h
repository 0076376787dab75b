#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace p2mpp {

/// An array of NumPy's .npy, in C order.
struct NpyArray {
  std::vector<std::size_t> shape;
  std::vector<double> values;
};

/// Reads little-endian float32 or float64 in C order. Throws InputError, "{name}: ...", for anything else and for
/// values that are not finite.
[[nodiscard]] NpyArray parse_npy(std::string_view bytes, const std::string& name);

}  // namespace p2mpp
