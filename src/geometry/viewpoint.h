#pragma once

#include <vector>

#include "p2mpp/sample.h"

namespace p2mpp {

/// Where a camera is, seen from the world's origin.
struct Viewpoint {
  double azimuth_deg = 0;    ///< about y, from x towards z
  double elevation_deg = 0;  ///< above the horizon
  double distance = 0;
};

/// Of a view's row, as it was given, or of its camera's centre.
[[nodiscard]] Viewpoint viewpoint_of(const View& view);

/// The cameras of a sample's views.
[[nodiscard]] std::vector<Camera> view_cameras(const Sample& sample);

}  // namespace p2mpp
