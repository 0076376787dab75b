#pragma once

#include <string>
#include <vector>

#include "p2mpp/sample.h"

namespace p2mpp {

/// A camera's position in spherical coordinates around the world's origin.
struct Viewpoint {
  double azimuth_deg = 0;    ///< about y, from x towards z
  double elevation_deg = 0;  ///< above the horizon
  double distance = 0;
};

/// The viewpoint in a view's camera row, exactly as given, or else that of its camera's centre.
[[nodiscard]] Viewpoint find_viewpoint(const View& view);

/// The name of a view in messages: its image's name or, if that is unknown, "view 2" (counted from 1).
[[nodiscard]] std::string view_label(const Sample& sample, std::size_t view);

/// The cameras of a sample's views.
[[nodiscard]] std::vector<Camera> view_cameras(const Sample& sample);

}  // namespace p2mpp
