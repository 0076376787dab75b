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

/// The background of photographs without alpha and without a mask file.
struct BackgroundColour {
  std::optional<Colour> colour;  ///< empty: the border's median colour
};

/// Reads "auto", "white" or "R,G,B". Throws UsageError.
[[nodiscard]] BackgroundColour parse_background(std::string_view text);

struct ObjectMask {
  Mask mask;                         ///< of the image's size
  std::optional<Colour> background;  ///< set if the mask was made from colours
  std::string origin;                ///< for messages: "alpha", "mask file", "background 255,255,255"
};

/// The object's mask in an image. The first that applies:
/// 1. The mask file's alpha or, if every pixel is opaque, its grey values. Soft values are kept; if none exceeds 127,
///    every value above 0 is the object.
/// 2. The image's alpha, unless every pixel is opaque.
/// 3. The pixels whose colour differs from the background's. Pixels inside the object that have that colour are holes.
/// Pieces and holes smaller than a thousandth of the largest piece are removed. Throws InputError naming the image or
/// the mask file if the mask file has another aspect ratio, or if more than kMaxBorderDisagreement of the border has
/// other colours.
[[nodiscard]] ObjectMask object_mask(const Image& image, const std::string& name,
                                     const std::filesystem::path& mask_file = {},
                                     const BackgroundColour& background = {});

inline constexpr double kMaxBorderDisagreement = 0.3;  ///< share of the border; an object may touch it

/// Facts about a mask. Pixels count as the object's from 128 on.
struct MaskFacts {
  double share = 0;                              ///< of the image
  double border_share = 0;                       ///< of the image's border that is the object's
  bool cut[4] = {};                              ///< touches the left, upper, right, lower border
  int left = 0, top = 0, right = 0, bottom = 0;  ///< box in pixels; right and bottom exclusive; all 0 if empty
};

[[nodiscard]] MaskFacts mask_facts(const Mask& mask);

/// Why a mask gives no silhouette ("the mask is empty"); empty if it gives one.
[[nodiscard]] std::string describe_problem(const MaskFacts& facts);

}  // namespace p2mpp
