#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "backends/self_check/drawn_operations.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// A sample with images of smooth random colours and a transparent border, from random cameras around the object.
inline Sample random_sample(unsigned seed, std::size_t view_count) {
  Draw draw(seed);
  constexpr int kSide = 137;
  Sample sample{.id = "random" + std::to_string(seed), .views = {}};
  for (std::size_t view = 0; view < view_count; ++view) {
    Image image{kSide, kSide, {}};
    const double frequency = draw.uniform(0.02, 0.2);
    const double phase = draw.uniform(0, 6);
    const double radius = draw.uniform(30, 60);
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        const double wave = 127 * std::sin(frequency * x + phase) * std::cos(frequency * y);
        const bool inside = std::hypot(x - kSide / 2, y - kSide / 2) < radius;
        for (const double colour : {128 + wave, 128 - wave, 128 + wave / 2}) {
          image.rgba.push_back(static_cast<std::uint8_t>(colour));
        }
        image.rgba.push_back(inside ? 255 : 0);
      }
    }
    const CameraRow camera{static_cast<float>(draw.uniform(0, 360)), static_cast<float>(draw.uniform(25, 30)), 0,
                           static_cast<float>(draw.uniform(0.65, 0.9)), 25};
    sample.views.push_back(view_from_row(std::move(image), camera));
  }
  return sample;
}

/// The same, like people's photographs. The masks' rims are soft. The last view is opaque, and shows a nearly white
/// object on white.
inline Sample random_masked_sample(unsigned seed, std::size_t view_count) {
  Sample sample = random_sample(seed, view_count);
  constexpr double kRim = 12;  // pixels
  for (View& view : sample.views) {
    Image& image = view.image;
    const bool opaque = &view == &sample.views.back();
    for (int y = 0; y < image.height; ++y) {
      for (int x = 0; x < image.width; ++x) {
        std::uint8_t* const pixel = image.rgba.data() + 4 * static_cast<std::size_t>(y * image.width + x);
        const double inside = 50 - std::hypot(x - image.width / 2, y - image.height / 2);
        if (!opaque) {
          pixel[3] = static_cast<std::uint8_t>(255 * std::clamp(inside / kRim, 0.0, 1.0));
          continue;
        }
        for (int channel = 0; channel < 3; ++channel) {
          pixel[channel] = static_cast<std::uint8_t>(inside > 0 ? 240 + pixel[channel] / 16 : 255);
        }
        pixel[3] = 255;
      }
    }
  }
  return sample;
}

}  // namespace p2mpp
