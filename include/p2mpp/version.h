#pragma once

#include <string>

#include "p2mpp/export.h"

namespace p2mpp {

/// The library's version: "0.2.0".
[[nodiscard]] P2MPP_EXPORT std::string version();

}  // namespace p2mpp
