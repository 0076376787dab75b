#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "backends/self_check/drawn_operations.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// A sample with images of smooth random colours and a transparent border, from random cameras around the object.
inline Sample random_sample(unsigned seed, std::size_t view_count) {
  std::mt19937 random(seed);
  const auto uniform = [&random](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / 4294967295.0;
  };
  constexpr int kSide = 137;
  Sample sample{.id = "random" + std::to_string(seed), .views = {}};
  for (std::size_t view = 0; view < view_count; ++view) {
    Image image{kSide, kSide, {}};
    const double frequency = uniform(0.02, 0.2);
    const double phase = uniform(0, 6);
    const double radius = uniform(30, 60);
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
    const CameraRow camera{static_cast<float>(uniform(0, 360)), static_cast<float>(uniform(25, 30)), 0,
                           static_cast<float>(uniform(0.65, 0.9)), 25};
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

/// The same with general pinholes: any roll, aimed a little beside the object, fx != fy, the principal point off the
/// middle, and a network's frame that is no view's.
inline Sample random_pinhole_sample(unsigned seed, std::size_t view_count) {
  Sample sample = random_sample(seed, view_count);
  Draw draw(seed);
  for (View& view : sample.views) {
    view.row.reset();
    view.camera = drawn_camera(draw, 0.65, 0.9);
  }
  sample.network_frame = drawn_camera(draw, 0.75, 0.85);
  return sample;
}

/// An open surface where random_sample() has its object, in the world: a wavy sheet of side x side vertices.
inline TriangleMesh wavy_sheet(std::int32_t side) {
  TriangleMesh sheet;
  for (std::int32_t i = 0; i < side * side; ++i) {
    const float x = 0.4F * static_cast<float>(i % side) / static_cast<float>(side) - 0.2F;
    const float y = 0.4F * static_cast<float>(i / side) / static_cast<float>(side) - 0.2F;
    sheet.vertices.emplace_back(x, y, 0.05F * std::sin(20 * x) * std::cos(15 * y));
    if (i % side + 1 == side || i / side + 1 == side) continue;
    sheet.triangles.push_back({i, i + 1, i + side});
    sheet.triangles.push_back({i + side, i + 1, i + side + 1});
  }
  return sheet;
}

inline Sample with_initial_mesh(Sample sample, TriangleMesh mesh) {
  sample.initial_mesh = std::make_shared<const TriangleMesh>(std::move(mesh));
  return sample;
}

}  // namespace p2mpp
