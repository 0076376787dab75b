#pragma once

#include <cstddef>
#include <string>

#include "p2mpp/fit_mask.h"

namespace p2mpp {

/// A mask's name, or "mask 3" for the third.
[[nodiscard]] std::string mask_label(const FitMask& mask, std::size_t index);

/// Throws InputError naming the mask if it is no square, if its size and coverage differ, or if its camera is none.
void check_mask(const FitMask& mask, std::size_t index);

/// Why a valid mask shows no silhouette ("the mask is empty"); empty if it shows one.
[[nodiscard]] std::string describe_problem(const FitMask& mask);

}  // namespace p2mpp
