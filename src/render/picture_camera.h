#pragma once

#include <span>
#include <vector>

#include "p2mpp/camera.h"
#include "p2mpp/sample.h"
#include "p2mpp/triangle_mesh.h"
#include "rays/ray_scene.h"

namespace p2mpp {

/// Whether a mesh is in the frame of a sample's first camera, like the network's meshes. All points of such a mesh are
/// in front of a camera at the origin that looks along -z, and their middle is near the centre of its picture. False
/// for a mesh around the origin, as in the world frame.
[[nodiscard]] bool is_in_front_of_camera(const Points& points);

/// The diagonal of the points' bounding box, always positive. A single point has a fraction of its distance from the
/// origin, so that it is visible. Precondition: at least one point.
[[nodiscard]] float object_size(const Points& points);

/// The radius of the spheres that represent the points of a cloud; 0 for a mesh with triangles. Precondition: at least
/// one point.
[[nodiscard]] float point_radius(const TriangleMesh& mesh);

/// Transforms points from a camera's frame to the world frame (y up).
[[nodiscard]] Points world_from_camera(const Points& points, const Camera& camera);

/// A pinhole camera of a picture of any size.
struct PictureCamera {
  Camera pose;                                 ///< its intrinsics are not read
  double focal_x = kFocalLength / kImageSize;  ///< in widths of the picture
  double focal_y = kFocalLength / kImageSize;  ///< in heights of the picture
  double centre_x = 0.5, centre_y = 0.5;       ///< the principal point's position in the picture

  /// The direction in the world frame, of arbitrary length, to a point of the picture; x and y from 0 to 1, y
  /// downwards.
  [[nodiscard]] Eigen::Vector3f direction(double x, double y) const;

  /// A world point's position in the picture; depth is positive in front of the camera.
  struct Place {
    double x = 0, y = 0, depth = 0;
  };
  [[nodiscard]] Place place(const Eigen::Vector3f& point) const;
};

/// The camera of a view.
[[nodiscard]] PictureCamera view_camera(const Camera& camera);

/// A camera position around an object's centre, y up.
struct Framing {
  double azimuth_deg = 35;        ///< about y, from x towards z
  double elevation_deg = 25;      ///< above the horizon, -90 to 90
  double field_of_view_deg = 25;  ///< vertical, 1 to 120
  double distance = 0;            ///< from the bounding box's centre; 0: such that the object fills the picture
};

/// The framing of a view's camera.
[[nodiscard]] Framing frame_view(const View& view);

/// A camera with the points in the middle of its picture. `aspect`: the picture's width over its height. Precondition:
/// at least one point, all are finite, and the framing is in range.
[[nodiscard]] PictureCamera framing_camera(const Points& points, const Framing& framing, double aspect);

/// Cameras [count] at one distance around the points, in equal steps of azimuth, beginning with `framing`.
[[nodiscard]] std::vector<PictureCamera> turntable_cameras(const Points& points, const Framing& framing, double aspect,
                                                           int count);

/// The rays of each pixel. Rays are cast only where an object may be visible.
class PixelSamples {
 public:
  /// A picture of width x height pixels with `count` rays per pixel, of spheres of `radius` around the points.
  PixelSamples(int width, int height, int count, std::span<const Eigen::Vector3f> points, float radius,
               const PictureCamera& camera);

  /// The rays of a row's pixels, from left to right. Pixels in which nothing can be visible have none.
  void cast_row(int row, std::vector<Ray>& rays) const;

  /// The rays of a pixel in that list.
  struct Range {
    std::size_t first = 0, count = 0;
  };
  [[nodiscard]] Range pixel_rays(int row, int column) const {
    const bool inside = row >= top_ && row < bottom_ && column >= left_ && column < right_;
    return inside ? Range{count_ * static_cast<std::size_t>(column - left_), count_} : Range{};
  }

 private:
  int width_, height_;
  std::size_t count_;
  int left_ = 0, top_ = 0, right_ = 0, bottom_ = 0;  ///< pixels in which something may be visible
  std::vector<Eigen::Vector2f> offsets_;             ///< within a pixel, 0 to 1
  Eigen::Vector3f origin_, corner_, across_, down_;  ///< origin of the rays, and directions over the picture
};

}  // namespace p2mpp
