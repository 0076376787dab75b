#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "p2mpp/image.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Removes small pieces of a mask and fills small holes. Small ones have less than `share` of the largest piece's
/// pixels, or a single pixel. Pieces are 8-connected and have coverage > 0. Holes are 4-connected, have coverage 0 and
/// do not touch the border.
void remove_specks(Mask& mask, double share);

/// The background of photographs without alpha and without a mask file.
struct BackgroundColour {
  std::optional<Colour> colour;  ///< empty: the border's median colour
};

/// Reads "auto", "white" or "R,G,B". Throws UsageError.
void from_text(std::string_view text, BackgroundColour& background);
[[nodiscard]] std::string to_string(const BackgroundColour& background);

struct ObjectMask {
  Mask mask;                         ///< of the image's size
  std::optional<Colour> background;  ///< set if the mask was made from colours
  std::string origin;                ///< for messages: "alpha", "mask file", "background 255,255,255"
};

/// The image's alpha as a mask.
[[nodiscard]] Mask alpha_mask(const Image& image);

/// The object's mask in an image: its alpha or, if every pixel is opaque, the pixels whose colour differs from the
/// background's. Pixels inside the object that have that colour are holes. Pieces and holes smaller than a thousandth
/// of the largest piece are removed. Throws InputError naming the image if more than kMaxBorderDisagreement of its
/// border has other colours. Thread-safe.
[[nodiscard]] ObjectMask object_mask(const Image& image, const std::string& name,
                                     const BackgroundColour& background = {});

inline constexpr double kMaxBorderDisagreement = 0.3;  ///< share of the border; an object may touch it

}  // namespace p2mpp
