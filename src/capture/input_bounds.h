#pragma once

#include <vector>

#include "base/table.h"

namespace p2mpp {

/// The bounds of what files may contain, as docs/inputs.md lists them.
[[nodiscard]] std::vector<Bound> input_bounds();

}  // namespace p2mpp
