#pragma once

#include <cstdint>

#include "p2mpp/sample.h"

namespace p2mpp {

/// Three views of 137x137 pixels, each showing a few smoothly shaded ellipses on a transparent ground, drawn from a
/// seed. For measuring speed, which does not depend on the picture.
[[nodiscard]] Sample synthetic_sample(std::uint64_t seed);

}  // namespace p2mpp
