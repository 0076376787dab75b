#pragma once

#include "p2mpp/image.h"

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

}  // namespace p2mpp
