#pragma once

#include <string>

namespace p2mpp {

/// The linker's build ID, in hexadecimal, of the file that contains this function: a hash of its contents, including
/// the kernels. Empty if it was linked without one.
[[nodiscard]] std::string build_identity();

}  // namespace p2mpp
