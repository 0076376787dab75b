#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "p2mpp/camera.h"

namespace p2mpp {

inline constexpr std::size_t kCameraColumns = 5;  ///< numbers in a camera row

/// Reads rows of five numbers (azimuth in degrees, elevation in degrees, in-plane rotation, distance, field of view),
/// one per line. Blank lines and text after '#' are skipped. Throws InputError naming file, line and value for a wrong
/// number of columns, NaN, infinity or a distance that is not positive, and for a file without rows.
[[nodiscard]] std::vector<CameraRow> read_cameras(const std::filesystem::path& path);

/// The same from memory; `name` replaces the path in messages.
[[nodiscard]] std::vector<CameraRow> parse_cameras(std::string_view text, const std::string& name);

}  // namespace p2mpp
