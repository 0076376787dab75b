#pragma once

#include <string>
#include <vector>

#include "cameras/capture.h"

namespace p2mpp {

/// What was read, in the words of the file's program, for a glance: "read as Meshroom 1.2.11: 12 cameras of 320x240
/// pixels, 2 lenses: radialk3, f 330", and a line for each reason why a photograph is left out.
[[nodiscard]] std::vector<std::string> read_words(const Capture& capture);

}  // namespace p2mpp
