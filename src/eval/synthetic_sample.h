#pragma once

#include <cstdint>

#include "p2mpp/sample.h"

namespace p2mpp {

/// Three views of 137x137 pixels, each of a few smoothly shaded ellipses on a transparent ground, drawn from a seed:
/// input of the usual kind for measuring speed, which does not depend on what is shown.
[[nodiscard]] Sample synthetic_sample(std::uint64_t seed);

}  // namespace p2mpp
