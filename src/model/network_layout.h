#pragma once

#include <array>
#include <cstddef>

namespace p2mpp {

// What is the same in every network; everything else is in NetworkSizes. scripts/p2mpp_model/layout.py has it, too.

/// Stride of each convolution of stage 1's image CNN; stage 2's is made like the first of them.
inline constexpr std::array kStrides = {1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 1};

/// The convolutions whose output is read, from 0, finest map first.
inline constexpr std::array<std::size_t, 4> kStage1Maps = {7, 10, 13, 17};
inline constexpr std::array<std::size_t, 3> kStage2Maps = {1, 4, 7};

inline constexpr std::size_t kStage1Convolutions = kStrides.size();
inline constexpr std::size_t kStage2Convolutions = kStage2Maps.back() + 1;

}  // namespace p2mpp
