#pragma once

#include <random>

namespace p2mpp {

/// Uniform in [0, 1) from the generator's own bits: the standard's distributions differ between libraries.
inline double draw_unit(std::mt19937_64& generator) { return static_cast<double>(generator() >> 11) * 0x1p-53; }

}  // namespace p2mpp
