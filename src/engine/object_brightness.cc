#include "engine/object_brightness.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "base/luminance.h"
#include "engine/white_rim.h"

namespace p2mpp {
namespace {

constexpr int kWhite = 255;
constexpr double kShareBelow = 0.9;  // a few highlights do not make an object bright

using Rims = std::vector<std::vector<std::uint8_t>>;  // of views; none if empty

bool is_in_rim(const Rims& rims, std::size_t view, std::size_t pixel) {
  return !rims.empty() && rims[view][pixel] != 0;
}

double brightness_without(const Rims& rims, std::span<const View> views) {
  std::array<std::uint64_t, kWhite + 1> histogram{};
  for (std::size_t k = 0; k < views.size(); ++k) {
    const Image& image = views[k].image;
    if (is_opaque(image)) continue;
    for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
      const std::uint8_t* rgba = &image.rgba[i];
      if (rgba[3] >= kObjectAlpha && !is_in_rim(rims, k, i / 4)) ++histogram[luminance(rgba)];
    }
  }
  const auto wanted = kShareBelow * static_cast<double>(std::reduce(histogram.begin(), histogram.end()));
  std::uint64_t below = 0;
  for (std::size_t value = 0; value < histogram.size(); ++value) {
    below += histogram[value];
    if (below > 0 && static_cast<double>(below) >= wanted) return static_cast<double>(value) / kWhite;
  }
  return 0;
}

/// How a sample's object is shown.
struct ObjectAppearance {
  double brightness = 0;
  Rims rims;
};

ObjectAppearance appearance_of(std::span<const View> views, double limit) {
  ObjectAppearance appearance{object_brightness(views), {}};
  if (appearance.brightness <= limit) return appearance;
  appearance.rims = white_rims(views);
  if (!appearance.rims.empty()) appearance.brightness = brightness_without(appearance.rims, views);
  return appearance;
}

void multiply(Image& image, double factor, const Rims& rims, std::size_t view) {
  std::array<std::uint8_t, kWhite + 1> table{};
  for (std::size_t value = 0; value < table.size(); ++value) {
    table[value] = static_cast<std::uint8_t>(std::lround(factor * static_cast<double>(value)));
  }
  for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
    if (is_in_rim(rims, view, i / 4)) continue;
    for (std::size_t channel = 0; channel < 3; ++channel) image.rgba[i + channel] = table[image.rgba[i + channel]];
  }
}

}  // namespace

double object_brightness(std::span<const View> views) { return brightness_without({}, views); }

std::vector<Sample> darkened(std::span<const Sample> samples, double limit) {
  if (limit >= 1) return {};
  std::vector<ObjectAppearance> appearances;
  for (const Sample& sample : samples) appearances.push_back(appearance_of(sample.views, limit));
  if (std::ranges::all_of(appearances,
                          [&](const ObjectAppearance& appearance) { return appearance.brightness <= limit; }))
    return {};
  std::vector<Sample> result(samples.begin(), samples.end());
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (appearances[i].brightness <= limit) continue;
    for (std::size_t k = 0; k < result[i].views.size(); ++k) {
      Image& image = result[i].views[k].image;
      if (!is_opaque(image)) multiply(image, limit / appearances[i].brightness, appearances[i].rims, k);
    }
  }
  return result;
}

}  // namespace p2mpp
