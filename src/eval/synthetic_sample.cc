#include "eval/synthetic_sample.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace p2mpp {
namespace {

constexpr int kSide = 137;  // pixels, the size of ShapeNet's renderings
constexpr int kEllipseCount = 4;
constexpr std::array kCameras = {
    CameraRow{250.5F, 29.5F, 0, 0.652F, 25},
    CameraRow{8.4F, 26.5F, 0, 0.713F, 25},
    CameraRow{59.4F, 28.9F, 0, 0.806F, 25},
};

// Positions and radii as fractions of the image's side.
struct Ellipse {
  double x, y, radius_x, radius_y;
  std::array<double, 3> colour;  // 0..1
};

double uniform(std::mt19937_64& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
}

Ellipse draw_ellipse(std::mt19937_64& random) {
  Ellipse ellipse{};
  ellipse.x = uniform(random, 0.35, 0.65);
  ellipse.y = uniform(random, 0.35, 0.65);
  ellipse.radius_x = uniform(random, 0.1, 0.3);
  ellipse.radius_y = uniform(random, 0.1, 0.3);
  for (double& channel : ellipse.colour) channel = uniform(random, 0.1, 0.9);
  return ellipse;
}

// Brightest in the middle, falling off as the surface of an ellipsoid turns away.
void paint(const Ellipse& ellipse, Image& image) {
  for (int row = 0; row < kSide; ++row) {
    for (int column = 0; column < kSide; ++column) {
      const double dx = ((column + 0.5) / kSide - ellipse.x) / ellipse.radius_x;
      const double dy = ((row + 0.5) / kSide - ellipse.y) / ellipse.radius_y;
      const double distance_squared = dx * dx + dy * dy;
      if (distance_squared >= 1) continue;
      const double light = 0.3 + 0.7 * std::sqrt(1 - distance_squared);
      auto* pixel = &image.rgba[static_cast<std::size_t>(4 * (row * kSide + column))];
      for (const double channel : ellipse.colour) *pixel++ = static_cast<std::uint8_t>(255 * channel * light);
      *pixel = 255;
    }
  }
}

}  // namespace

Sample synthetic_sample(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Sample sample{.id = "synthetic", .views = {}};
  for (const CameraRow& camera : kCameras) {
    Image image{kSide, kSide, std::vector<std::uint8_t>(std::size_t{4} * kSide * kSide, 0)};
    for (int i = 0; i < kEllipseCount; ++i) paint(draw_ellipse(random), image);
    sample.views.push_back(view_from_row(std::move(image), camera));
  }
  return sample;
}

}  // namespace p2mpp
