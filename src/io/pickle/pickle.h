#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace p2mpp {

/// A numeric array of a pickle, converted to double, row-major.
struct PickledArray {
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

/// Reads the NumPy arrays of a pickle (protocols 0 to 5, Python 2 or 3), in any nesting of lists, tuples and dicts, in
/// the order in which they appear. Nothing is executed: a pickle that names anything except NumPy's array constructors
/// is refused. Elements are f4, f8, i1 to i8, u1 to u8 or bool in either byte order; arrays are C- or Fortran-ordered.
/// NumPy's scalars, plain numbers, texts and keys are accepted and skipped. Memory and time are bounded by the size of
/// the file, however often it names the same object. Throws InputError naming the file and what was refused, or if
/// there is no array.
[[nodiscard]] std::vector<PickledArray> read_pickled_arrays(const std::filesystem::path& path);
[[nodiscard]] std::vector<PickledArray> parse_pickled_arrays(std::string_view bytes, const std::string& name);

}  // namespace p2mpp
