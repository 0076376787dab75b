#pragma once

#include <optional>

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

}  // namespace p2mpp
