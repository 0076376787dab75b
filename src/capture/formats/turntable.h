#pragma once

#include <filesystem>
#include <optional>

#include "capture/capture.h"

namespace p2mpp {

/// Photographs of a turntable that turned by the same angle between any two, once around in all, and a camera that did
/// not move. The last photograph is one step before the first. Only relative azimuths matter: which side of the object
/// comes first does not.
struct Turntable {
  double elevation_deg = 0;  ///< of the camera above the table's plane, as seen from the object; -90 to 90, exclusive
  /// The table, seen from above, turns clockwise. (If the camera walks around the object, this is counter-clockwise.)
  bool clockwise = false;
  /// The angle of view along the photographs' longer side, in degrees. Without it, it follows from the focal length
  /// in the photographs' EXIF or, without that, is that of a phone's main camera; a note says which.
  std::optional<double> field_of_view_deg = std::nullopt;
};

/// Reads a folder of photographs in natural order of their names. The camera looks at the table's axis from the
/// distance 1; up is +y. Throws InputError if there are fewer than 2 photographs, or if they differ in size or in
/// EXIF's focal length, and
/// UsageError for an elevation or an angle of view that no camera has.
[[nodiscard]] Capture read_turntable(const std::filesystem::path& folder, const Turntable& turntable);

}  // namespace p2mpp
