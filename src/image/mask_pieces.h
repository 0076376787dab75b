#pragma once

#include "p2mpp/image.h"

namespace p2mpp {

/// Removes small pieces of a mask and fills small holes. Small ones have less than `share` of the largest piece's
/// pixels, or a single pixel. Pieces are 8-connected and have coverage > 0. Holes are 4-connected, have coverage 0 and
/// do not touch the border.
void remove_specks(Mask& mask, double share);

}  // namespace p2mpp
