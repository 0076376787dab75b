#pragma once

#include <filesystem>
#include <optional>

#include "cameras/capture.h"

namespace p2mpp {

inline constexpr double kMaxTurntableElevationDeg = 89;
inline constexpr double kMinFieldOfViewDeg = 1, kMaxFieldOfViewDeg = 150;

/// Photographs from a fixed camera of an object on a turntable, which turned by equal angles, once around in total. The
/// last photograph is one step before the first. Only relative azimuths matter: any side of the object may come first.
struct Turntable {
  /// Of the camera above the table's plane, as seen from the object; required.
  std::optional<double> elevation_deg = std::nullopt;
  /// The table, seen from above, turns clockwise. (If the camera walks around the object, this is counter-clockwise.)
  bool clockwise = false;
  /// The angle of view along the photographs' longer side, in degrees. The default is computed from the focal length in
  /// the photographs' EXIF. Without EXIF, a phone's main camera is assumed. A note says which.
  std::optional<double> field_of_view_deg = std::nullopt;
};

/// Throws UsageError without an elevation, and for an elevation or an angle of view out of range or in radians.
void check_turntable(const Turntable& turntable);

/// Reads a folder of photographs in natural order of their names. The camera looks at the table's axis from the
/// distance 1; up is +y. Throws InputError if there are fewer than 2 photographs, or if they differ in size or in
/// EXIF's focal length; and as check_turntable().
[[nodiscard]] Capture read_turntable(const std::filesystem::path& folder, const Turntable& turntable);

/// cam_from_source of a camera at distance 1 that looks at the origin without roll, with +y as up; radians. Seen from
/// above, the azimuth grows clockwise from +x to +z.
[[nodiscard]] Rigid3 orbit_pose(double azimuth, double elevation);

/// Sets the sizes of a capture's photographs and one lens for all, where the capture does not say it: that of EXIF or,
/// with a note, a phone's. `field_of_view_deg` overrides both. Returns whether it is a phone's: add_other_lenses() then
/// lets the masks choose a longer one. Throws InputError if the photographs' EXIF differs.
[[nodiscard]] bool set_orbit_lens(std::optional<double> field_of_view_deg, Capture& capture);
void add_other_lenses(Capture& capture);

}  // namespace p2mpp
