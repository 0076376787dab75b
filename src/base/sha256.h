#pragma once

#include <string>
#include <string_view>

namespace p2mpp {

/// SHA-256 as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace p2mpp
