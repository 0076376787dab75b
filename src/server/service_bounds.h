#pragma once

#include <vector>

#include "base/bounds.h"

namespace p2mpp {

/// All bounds of `p2mpp serve`, as docs/service.md lists them.
[[nodiscard]] std::vector<Bound> service_bounds();

}  // namespace p2mpp
