#include "render/pixel_samples.h"

#include <algorithm>
#include <cmath>

namespace p2mpp {
namespace {

/// Positions evenly distributed over a pixel; a single one is its centre.
/// Source: M. Roberts, "The Unreasonable Effectiveness of Quasirandom Sequences", 2018 (the sequence R2).
std::vector<Eigen::Vector2f> spread_offsets(std::size_t count) {
  constexpr double kPlastic = 1.32471795724474602596;
  std::vector<Eigen::Vector2f> offsets;
  for (std::size_t i = 0; i < count; ++i) {
    const auto n = static_cast<double>(i);
    const auto fraction = [](double value) { return static_cast<float>(value - std::floor(value)); };
    offsets.emplace_back(fraction(0.5 + n / kPlastic), fraction(0.5 + n / (kPlastic * kPlastic)));
  }
  return offsets;
}

}  // namespace

PixelSamples::PixelSamples(int width, int height, int count, std::span<const Eigen::Vector3f> points, float radius,
                           const PictureCamera& camera)
    : width_(width),
      height_(height),
      count_(static_cast<std::size_t>(count)),
      offsets_(spread_offsets(count_)),
      origin_(camera.pose.origin.cast<float>()),
      corner_(camera.direction(0, 0)),
      across_(camera.direction(1, 0) - corner_),
      down_(camera.direction(0, 1) - corner_) {
  double least_x = 1, least_y = 1, most_x = 0, most_y = 0;
  for (const Eigen::Vector3f& point : points) {
    const PictureCamera::Place place = camera.place(point);
    if (!(place.depth > 2.0 * radius)) {  // beside or behind the camera: it may be visible anywhere
      least_x = least_y = 0;
      most_x = most_y = 1;
      break;
    }
    // Twice the radius: a sphere's outline is a little wider than the sphere.
    const double side_x = 2 * radius * camera.focal_x / place.depth, side_y = 2 * radius * camera.focal_y / place.depth;
    least_x = std::min(least_x, place.x - side_x);
    most_x = std::max(most_x, place.x + side_x);
    least_y = std::min(least_y, place.y - side_y);
    most_y = std::max(most_y, place.y + side_y);
  }
  const auto pixel = [](double place, int size) { return static_cast<int>(std::clamp(place, 0.0, 1.0) * size); };
  left_ = std::max(0, pixel(least_x, width) - 1);
  top_ = std::max(0, pixel(least_y, height) - 1);
  right_ = std::min(width, pixel(most_x, width) + 2);
  bottom_ = std::min(height, pixel(most_y, height) + 2);
}

void PixelSamples::cast_row(int row, std::vector<Ray>& rays) const {
  rays.clear();
  if (row < top_ || row >= bottom_) return;
  for (int column = left_; column < right_; ++column) {
    for (const Eigen::Vector2f& offset : offsets_) {
      const float x = (static_cast<float>(column) + offset.x()) / static_cast<float>(width_);
      const float y = (static_cast<float>(row) + offset.y()) / static_cast<float>(height_);
      rays.push_back({origin_, corner_ + x * across_ + y * down_});
    }
  }
}

}  // namespace p2mpp
