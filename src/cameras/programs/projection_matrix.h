#pragma once

#include <span>
#include <string>

#include "geometry/lens.h"
#include "geometry/rigid3.h"

namespace p2mpp {

struct ProjectionCamera {
  Lens lens;
  Rigid3 cam_from_source;
};

/// The pixels of calibrations with OpenCV and MATLAB: the centre of the first pixel is (0, 0), not (0.5, 0.5).
inline constexpr double kFirstPixelCentre = 0.5;

/// The camera of a calibration matrix, row by row, and a pose. Throws InputError, "{where}: ...", for another
/// matrix. The principal point is moved by kFirstPixelCentre.
[[nodiscard]] ProjectionCamera camera_of_k(std::span<const double> k, const Rigid3& cam_from_source,
                                           const std::string& where);

/// The camera of a 3x4 matrix K [R|t] of any scale, row by row. Throws as camera_of_k().
[[nodiscard]] ProjectionCamera camera_of_projection(std::span<const double> matrix, const std::string& where);

}  // namespace p2mpp
