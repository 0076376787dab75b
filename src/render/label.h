#pragma once

#include <string_view>

#include "p2mpp/sample.h"

namespace p2mpp {

/// Writes a line of text into a picture's upper left corner: white on a dark ground, in capitals, its height about 1/28
/// of the picture's. Characters other than letters, digits and . - _ + , : / ( ) % and space show as a box. A text that
/// is too long loses its beginning. A picture of less than 32 pixels a side does not change.
void draw_label(Image& image, std::string_view text);

}  // namespace p2mpp
