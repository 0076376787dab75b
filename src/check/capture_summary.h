#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "capture/sample_from_capture.h"

namespace p2mpp {

/// A description of the capture, one line each: cameras, masks, the object's frame, the chosen views.
[[nodiscard]] std::vector<std::string> capture_lines(const CaptureReport& report);

/// The same as JSON.
[[nodiscard]] nlohmann::ordered_json capture_json(const CaptureReport& report);

}  // namespace p2mpp
