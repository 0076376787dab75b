#pragma once

#include <string>

namespace p2mpp {

/// "2.11.0": of the LibTorch that this program was built with.
[[nodiscard]] std::string libtorch_version_text();

}  // namespace p2mpp
