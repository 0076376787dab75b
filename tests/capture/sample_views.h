#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "capture/open_sample.h"
#include "p2mpp/camera.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// A bundled sample, by category and model: "02691156/p2mpp0001".
inline Sample bundled_sample(const std::string& name) {
  return open_sample(std::filesystem::path(P2MPP_TEST_DATA) / "../../data" / name, {}).sample;
}

/// The names of all bundled samples.
inline std::vector<std::string> bundled_names() {
  std::vector<std::string> names;
  for (const char* category : {"02691156", "02876657", "02933112", "02958343", "03001627", "03211117", "03636649",
                               "04256520", "04379243", "04530566"}) {
    for (const char* model : {"p2mpp0001", "p2mpp0002", "p2mpp0003"}) {
      names.push_back(std::string(category) + "/" + model);
    }
  }
  return names;
}

/// The sample with changed rows.
template <typename Change>
Sample with_rows(Sample sample, const Change& change) {
  for (View& view : sample.views) {
    change(*view.row);
    view.camera = camera_from_row(*view.row);
  }
  return sample;
}

/// Puts a view's object in front of one opaque colour.
inline void put_before(Image& image, const std::array<int, 3>& colour) {
  for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
    const int alpha = image.rgba[i + 3];
    for (std::size_t c = 0; c < 3; ++c) {
      image.rgba[i + c] = static_cast<std::uint8_t>((image.rgba[i + c] * alpha + colour[c] * (255 - alpha)) / 255);
    }
    image.rgba[i + 3] = 255;
  }
}

/// A rectangle of an image; `fill` where it lies outside.
inline Image cropped(const Image& image, int left, int top, int width, int height, const std::array<int, 4>& fill) {
  Image result{width, height, {}};
  for (int row = top; row < top + height; ++row) {
    for (int column = left; column < left + width; ++column) {
      const bool inside = row >= 0 && column >= 0 && row < image.height && column < image.width;
      const auto at = 4 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width) +
                           static_cast<std::size_t>(column));
      for (std::size_t c = 0; c < 4; ++c) {
        result.rgba.push_back(inside ? image.rgba[at + c] : static_cast<std::uint8_t>(fill[c]));
      }
    }
  }
  return result;
}

}  // namespace p2mpp
