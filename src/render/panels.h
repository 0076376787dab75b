#pragma once

#include <string_view>
#include <vector>

#include "p2mpp/image.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// Writes a line of text into a picture's upper left corner: white on a dark ground, in capitals, its height about 1/28
/// of the picture's. Characters other than letters, digits and . - _ + , : / ( ) % and space show as a box. A text that
/// is too long loses its beginning. A picture of less than 32 pixels a side does not change.
void draw_label(Image& image, std::string_view text);

/// The image blended on white, opaque.
[[nodiscard]] Image on_white(const Image& image);

/// Images from left to right with `gap` white pixels between them, and, if there are more than kMostSideBySide, as many
/// in each of several rows. Precondition: at least one image, equal heights; in several rows also equal widths.
inline constexpr std::size_t kMostSideBySide = 8;
[[nodiscard]] Image side_by_side(const std::vector<Image>& images, int gap);

/// Two images, one above the other, with `gap` white rows between them. Precondition: equal widths.
[[nodiscard]] Image stacked(const Image& upper, const Image& lower, int gap);

}  // namespace p2mpp
