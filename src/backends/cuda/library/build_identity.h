#pragma once

#include <string>

namespace p2mpp {

/// The linker's build ID of the file that this function is linked into, in hexadecimal: a hash of all that is in it,
/// kernels, too. Empty where it was linked without one.
[[nodiscard]] std::string build_identity();

}  // namespace p2mpp
