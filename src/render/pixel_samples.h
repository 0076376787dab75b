#pragma once

#include <span>
#include <vector>

#include "rays/ray_scene.h"
#include "render/picture_camera.h"

namespace p2mpp {

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
  [[nodiscard]] Range rays_of(int row, int column) const {
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
