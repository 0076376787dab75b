#pragma once

#include <optional>

namespace p2mpp {

/// Photographs from a fixed camera of an object on a turntable, which turned by equal angles, once around in total. The
/// last photograph is one step before the first. Only relative azimuths matter: any side of the object may come first.
struct Turntable {
  double elevation_deg = 0;  ///< of the camera above the table's plane, as seen from the object; -90 to 90, exclusive
  /// The table, seen from above, turns clockwise. (If the camera walks around the object, this is counter-clockwise.)
  bool clockwise = false;
  /// The angle of view along the photographs' longer side, in degrees. The default is computed from the focal length in
  /// the photographs' EXIF. Without EXIF, a phone's main camera is assumed. A note says which.
  std::optional<double> field_of_view_deg = std::nullopt;
};

}  // namespace p2mpp
