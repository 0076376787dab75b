#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "p2mpp/sample.h"

namespace p2mpp {

/// How much of each pixel the object covers, 0 to 255: [height, width], rows from the top.
struct Mask {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> coverage;

  [[nodiscard]] std::uint8_t at(int row, int column) const {
    return coverage[static_cast<std::size_t>(row) * static_cast<std::size_t>(width) + static_cast<std::size_t>(column)];
  }
};

using Colour = std::array<std::uint8_t, 3>;  ///< red, green, blue

/// What is behind the object in photographs without alpha and without a mask file.
struct BackgroundColour {
  std::optional<Colour> colour;  ///< empty: the border's median colour
};

/// Reads "auto", "white" or "R,G,B". Throws UsageError.
[[nodiscard]] BackgroundColour parse_background(std::string_view text);

struct ObjectMask {
  Mask mask;                         ///< of the image's size
  std::optional<Colour> background;  ///< where the mask was made from colours
  std::string origin;                ///< for messages: "alpha", "mask file", "background 255,255,255"
};

/// The object's mask in an image: a mask file (its alpha where that is not all opaque, else its grey values; soft ones
/// are kept, and where none exceeds 127, each above 0 is the object), else the image's alpha where it is not all
/// opaque, else what differs from the background's colour. A hole is what has that colour; specks below a thousandth
/// of the largest piece are removed, and so are holes that small. Throws InputError naming the image or the mask file:
/// if a mask file has another aspect ratio, or if more than kMaxBorderDisagreement of the border has other colours.
[[nodiscard]] ObjectMask object_mask(const Image& image, const std::string& name,
                                     const std::filesystem::path& mask_file = {}, const BackgroundColour& background = {});

inline constexpr double kMaxBorderDisagreement = 0.3;  ///< share of the border; an object may touch it

/// Facts about a mask. Pixels count as the object's from 128 on.
struct MaskFacts {
  double share = 0;                              ///< of the image
  double border_share = 0;                       ///< of the image's border that is the object's
  bool cut[4] = {};                              ///< touches the left, upper, right, lower border
  int left = 0, top = 0, right = 0, bottom = 0;  ///< box in pixels; right and bottom exclusive; all 0 if empty
};

[[nodiscard]] MaskFacts mask_facts(const Mask& mask);

/// Why no silhouette can be taken from a mask ("the mask is empty"); empty if one can.
[[nodiscard]] std::string describe_problem(const MaskFacts& facts);

}  // namespace p2mpp
