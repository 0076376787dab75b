#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace p2mpp {

// What is the same in every network; everything else is in NetworkSizes. scripts/p2mpp_model/layout.py has it, too.

/// Stride of each convolution of stage 1's image CNN; stage 2's is made like the first of them.
inline constexpr std::array kStrides = {1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 1};

/// The convolutions whose output is read, from 0, finest map first.
inline constexpr std::array<std::size_t, 4> kStage1Maps = {7, 10, 13, 17};
inline constexpr std::array<std::size_t, 3> kStage2Maps = {1, 4, 7};

/// Elements from a pixel of the network's input to the next: blue, green, red, nothing between.
inline constexpr std::size_t kImageChannels = 3;

/// A convolution reaches over at most as many pixels each way.
inline constexpr std::int64_t kLargestKernel = 16;

inline constexpr std::size_t kStage1Convolutions = kStrides.size();
inline constexpr std::size_t kStage2Convolutions = kStage2Maps.back() + 1;

/// Whether the layer of a block, counted from 0, has a residual connection: from the third on every second. Expects an
/// inner layer.
[[nodiscard]] constexpr bool has_residual(std::size_t layer) { return layer >= 2 && layer % 2 == 0; }

}  // namespace p2mpp
