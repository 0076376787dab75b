#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace p2mpp {

// The constants of every network; NetworkSizes has the variable sizes. python/p2mpp/network/layout.py repeats them.

/// Stride of each convolution of stage 1's image CNN. Stage 2's CNN has the first of them.
inline constexpr std::array kStrides = {1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 1};

/// The convolutions whose output is a feature map, counted from 0, finest map first.
inline constexpr std::array<std::size_t, 4> kStage1Maps = {7, 10, 13, 17};
inline constexpr std::array<std::size_t, 3> kStage2Maps = {1, 4, 7};

/// Channels of the network's input, interleaved without padding: blue, green, red and, in networks of
/// kMaskedImageChannels, the object's mask.
inline constexpr std::size_t kColourChannels = 3;
inline constexpr std::size_t kMaskedImageChannels = 4;

/// Channels of the map that stage 2 may make of an object's mask, see backends/common/mask_evidence.h.
inline constexpr std::size_t kEvidenceChannels = 2;
inline constexpr std::size_t kEvidenceColumns = 3 * kEvidenceChannels;

/// Width of the features of a point: x, y, z, then the maximum, the mean and the standard deviation over the views.
/// Each of these has the channels of the maps in their order and, if the stage reads them, then those of the mask's
/// evidence. channels: of all convolutions of the CNN. maps: the convolutions that are sampled.
[[nodiscard]] constexpr std::int64_t projected_width(std::span<const std::int64_t> channels,
                                                     std::span<const std::size_t> maps, bool mask_evidence = false) {
  std::int64_t width = 3 + static_cast<std::int64_t>(mask_evidence ? kEvidenceColumns : 0);
  for (const std::size_t map : maps) width += 3 * channels[map];
  return width;
}

/// Largest side of a convolution's kernel, in pixels.
inline constexpr std::int64_t kLargestKernel = 16;

inline constexpr std::size_t kStage1Convolutions = kStrides.size();
inline constexpr std::size_t kStage2Convolutions = kStage2Maps.back() + 1;

/// Whether a layer of a block, counted from 0, has a residual connection. Every second layer has one, beginning with
/// the third. Precondition: an inner layer.
[[nodiscard]] constexpr bool has_residual(std::size_t layer) { return layer >= 2 && layer % 2 == 0; }

}  // namespace p2mpp
