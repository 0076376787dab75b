#pragma once

#include "p2mpp/image.h"

namespace p2mpp {

/// Removes small pieces of a mask, and fills small holes: those with less than `share` of the largest piece's pixels,
/// and single pixels (8-connected pieces of coverage > 0, 4-connected holes of coverage 0 that do not touch the
/// border).
void remove_specks(Mask& mask, double share);

}  // namespace p2mpp
