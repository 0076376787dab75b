#pragma once

#include <string>

#include "capture/sample_from_capture.h"

namespace p2mpp {

/// The message if masks and cameras contradict each other as a whole. Empty if they do not.
[[nodiscard]] std::string contradiction(const PreparedCapture& prepared);

/// Warns of the photographs that are left out, and of those that show one view.
void doubt_photographs(PreparedCapture& prepared);

/// An addition to a failure's message if the masks seem to be of the background.
[[nodiscard]] std::string of_inverted(const PreparedCapture& prepared);

/// The same if most masks were made from a background's colour, and may therefore be wrong.
[[nodiscard]] std::string of_guessed_masks(const PreparedCapture& prepared);

/// The same if the principal points are in the middle of images of another size, or the masks are of another size.
[[nodiscard]] std::string of_other_size(const Capture& capture);

}  // namespace p2mpp
