#pragma once

#include <vector>

#include "p2mpp/camera.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// A pinhole camera and the shape of its pictures: the principal point is the picture's centre.
struct PictureCamera {
  Camera pose;
  double focal_x = kFocalLength / kImageSize;  ///< in widths of the picture
  double focal_y = kFocalLength / kImageSize;  ///< in heights of the picture

  /// The direction, of no certain length, to a point of the picture; both coordinates from 0 to 1, y downwards.
  [[nodiscard]] Eigen::Vector3f direction(double x, double y) const;

  /// Where a point of the world is in the picture; depth is positive in front.
  struct Place {
    double x = 0, y = 0, depth = 0;
  };
  [[nodiscard]] Place place(const Eigen::Vector3f& point) const;
};

/// The network's camera of a view, in the world's frame.
[[nodiscard]] PictureCamera view_camera(const CameraRow& row);

/// How to look at an object: from where around its centre, y up.
struct Framing {
  double azimuth_deg = 35;        ///< about y, from x towards z
  double elevation_deg = 25;      ///< above the horizon, -90 to 90
  double field_of_view_deg = 25;  ///< of the picture's height, 1 to 120
  double distance = 0;            ///< from the bounding box's centre; 0: so that the object fills the picture
};

/// A camera that has all points in the middle of its picture, `aspect` times as wide as high. Expects a point, finite
/// ones, and a framing in range.
[[nodiscard]] PictureCamera framing_camera(const Points& points, const Framing& framing, double aspect);

/// Cameras of one distance on a circle around the points, the first as framed, that turn in equal steps.
[[nodiscard]] std::vector<PictureCamera> turntable_cameras(const Points& points, const Framing& framing, double aspect,
                                                           int count);

}  // namespace p2mpp
