#pragma once

#include <Eigen/Core>
#include <random>

#include "p2mpp/image.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

struct Rgba {
  int red, green, blue, alpha;
};

inline Rgba pixel(const Image& image, int column, int row) {
  const std::uint8_t* rgba = &image.rgba[4 * static_cast<std::size_t>(row * image.width + column)];
  return {rgba[0], rgba[1], rgba[2], rgba[3]};
}

/// An image of one colour.
inline Image uniform(int width, int height, const Rgba& colour) {
  Image image{width, height, {}};
  for (int i = 0; i < width * height; ++i) {
    for (const int value : {colour.red, colour.green, colour.blue, colour.alpha}) {
      image.rgba.push_back(static_cast<std::uint8_t>(value));
    }
  }
  return image;
}

/// An image whose pixels differ in their red.
inline Image numbered(int width, int height, std::uint8_t alpha) {
  Image image{width, height, {}};
  for (int i = 0; i < width * height; ++i) {
    for (const int value : {i, 10, 20, int{alpha}}) image.rgba.push_back(static_cast<std::uint8_t>(value));
  }
  return image;
}

/// The colour that a picture has at a place of 0 to 1 each way.
inline Colour colour_at(const Image& image, const Eigen::Vector2f& place) {
  const Rgba found = pixel(image, static_cast<int>(place.x() * static_cast<float>(image.width)),
                           static_cast<int>(place.y() * static_cast<float>(image.height)));
  return {static_cast<std::uint8_t>(found.red), static_cast<std::uint8_t>(found.green),
          static_cast<std::uint8_t>(found.blue)};
}

/// An image of noise.
inline Image random_image(int width, int height, bool opaque) {
  std::mt19937 random(7);
  Image image{width, height, {}};
  for (int i = 0; i < 4 * width * height; ++i) {
    image.rgba.push_back(opaque && i % 4 == 3 ? 255 : static_cast<std::uint8_t>(random() % 256));
  }
  return image;
}

}  // namespace p2mpp
