#pragma once

#include <filesystem>

#include "capture/capture.h"
#include "io/turntable.h"

namespace p2mpp {

/// Reads a folder of photographs in natural order of their names. The camera looks at the table's axis from the
/// distance 1; up is +y. Throws InputError if there are fewer than 2 photographs, or if they differ in size or in
/// EXIF's focal length, and UsageError for an elevation or an angle of view out of range.
[[nodiscard]] Capture read_turntable(const std::filesystem::path& folder, const Turntable& turntable);

}  // namespace p2mpp
