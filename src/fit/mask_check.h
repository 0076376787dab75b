#pragma once

#include <cstddef>
#include <string>

#include "p2mpp/fit_mask.h"

namespace p2mpp {

/// A mask's name, or "mask 3" for the third.
[[nodiscard]] std::string mask_label(const FitMask& mask, std::size_t index);

/// Throws InputError naming the mask if it is no square, if its size and coverage differ, or if its camera is none.
void check_mask(const FitMask& mask, std::size_t index);

/// Throws InputError (one clause) if a valid mask shows no object: "the mask is empty".
void check_shows_object(const FitMask& mask);

}  // namespace p2mpp
