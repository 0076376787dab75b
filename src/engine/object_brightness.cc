#include "engine/object_brightness.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "base/luminance.h"

namespace p2mpp {
namespace {

constexpr int kWhite = 255;
constexpr std::uint8_t kObjectAlpha = 128;
constexpr double kShareBelow = 0.9;  // a few highlights do not make an object bright

void multiply(Image& image, double factor) {
  std::array<std::uint8_t, kWhite + 1> table{};
  for (std::size_t value = 0; value < table.size(); ++value) {
    table[value] = static_cast<std::uint8_t>(std::lround(factor * static_cast<double>(value)));
  }
  for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
    for (std::size_t channel = 0; channel < 3; ++channel) image.rgba[i + channel] = table[image.rgba[i + channel]];
  }
}

}  // namespace

double object_brightness(std::span<const View> views) {
  std::array<std::uint64_t, kWhite + 1> histogram{};
  for (const View& view : views) {
    if (is_opaque(view.image)) continue;
    for (std::size_t i = 0; i < view.image.rgba.size(); i += 4) {
      const std::uint8_t* rgba = &view.image.rgba[i];
      if (rgba[3] >= kObjectAlpha) ++histogram[luminance(rgba)];
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

std::vector<Sample> darkened(std::span<const Sample> samples, double limit) {
  if (limit >= 1) return {};
  std::vector<double> brightness;
  for (const Sample& sample : samples) brightness.push_back(object_brightness(sample.views));
  if (std::ranges::all_of(brightness, [&](double each) { return each <= limit; })) return {};
  std::vector<Sample> result(samples.begin(), samples.end());
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (brightness[i] <= limit) continue;
    for (View& view : result[i].views) {
      if (!is_opaque(view.image)) multiply(view.image, limit / brightness[i]);
    }
  }
  return result;
}

}  // namespace p2mpp
