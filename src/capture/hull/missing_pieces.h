#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "capture/silhouette.h"

namespace p2mpp {

/// Fills pieces that masks lack. A piece is missing where a mask's boundary has no outline in the photograph, because
/// the object goes on behind it, and where the other silhouettes say that there is something. Masks with soft or no
/// outlines anywhere stay, and so do all if the cameras do not look at one place. Silhouettes without brightness stay
/// and count for the others. Returns the number of masks that were changed. The same result for any number of threads.
std::size_t fill_missing_pieces(std::span<Silhouette> silhouettes, int threads);

/// The same for the masks of a fit.
std::size_t fill_missing_pieces(std::span<FitMask> masks, int threads);

/// "3 masks lack pieces of the object and are filled where the photographs show no outline (...)".
[[nodiscard]] std::string pieces_note(std::size_t masks);

}  // namespace p2mpp
