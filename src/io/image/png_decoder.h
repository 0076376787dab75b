#pragma once

#include <string>
#include <string_view>

#include "p2mpp/sample.h"

namespace p2mpp {

[[nodiscard]] bool is_png(std::string_view bytes);

/// Decodes a whole PNG with libspng; see decode_image() for what is accepted and thrown.
[[nodiscard]] Image decode_png(std::string_view bytes, const std::string& name);

}  // namespace p2mpp
