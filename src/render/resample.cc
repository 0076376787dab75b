#include "render/resample.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace p2mpp {
namespace {

/// Source pixels of an output pixel along one axis, and their weights, which add up to 1.
struct Taps {
  std::size_t first = 0;
  std::vector<float> weights;
};

/// A triangle as wide as the coarser of both grids (PIL's bilinear filter).
std::vector<Taps> taps_for(int from, int to) {
  const double scale = static_cast<double>(from) / to, support = std::max(1.0, scale);
  std::vector<Taps> taps;
  for (int i = 0; i < to; ++i) {
    const double centre = (i + 0.5) * scale;
    const int first = std::max(0, static_cast<int>(std::floor(centre - support)));
    const int last = std::min(from, static_cast<int>(std::ceil(centre + support)));
    Taps tap{static_cast<std::size_t>(first), {}};
    double sum = 0;
    for (int source = first; source < last; ++source) {
      const double weight = std::max(0.0, 1 - std::abs(source + 0.5 - centre) / support);
      tap.weights.push_back(static_cast<float>(weight));
      sum += weight;
    }
    for (float& weight : tap.weights) weight = static_cast<float>(weight / sum);
    taps.push_back(std::move(tap));
  }
  return taps;
}

using Premultiplied = std::array<float, 4>;

Premultiplied pixel_at(const Image& image, std::size_t index) {
  const std::uint8_t* rgba = &image.rgba[4 * index];
  const float alpha = static_cast<float>(rgba[3]) / 255;
  return {static_cast<float>(rgba[0]) * alpha, static_cast<float>(rgba[1]) * alpha, static_cast<float>(rgba[2]) * alpha,
          alpha};
}

void add(const Premultiplied& pixel, float weight, Premultiplied& sum) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weight * pixel[i];
}

std::uint8_t to_byte(float value) { return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0F, 255.0F))); }

}  // namespace

Image resampled(const Image& image, int width, int height) {
  const std::vector<Taps> columns = taps_for(image.width, width), rows = taps_for(image.height, height);
  const auto image_width = static_cast<std::size_t>(image.width);
  std::vector<Premultiplied> narrow(static_cast<std::size_t>(width) * static_cast<std::size_t>(image.height));
  for (std::size_t row = 0; row < static_cast<std::size_t>(image.height); ++row) {
    for (std::size_t column = 0; column < columns.size(); ++column) {
      const Taps& taps = columns[column];
      for (std::size_t i = 0; i < taps.weights.size(); ++i) {
        add(pixel_at(image, row * image_width + taps.first + i), taps.weights[i],
            narrow[row * columns.size() + column]);
      }
    }
  }
  Image result{width, height, {}};
  result.rgba.reserve(4 * columns.size() * rows.size());
  for (const Taps& taps : rows) {
    for (std::size_t column = 0; column < columns.size(); ++column) {
      Premultiplied sum{};
      for (std::size_t i = 0; i < taps.weights.size(); ++i) {
        add(narrow[(taps.first + i) * columns.size() + column], taps.weights[i], sum);
      }
      const float alpha = std::max(sum[3], 1e-6F);
      result.rgba.insert(result.rgba.end(), {to_byte(sum[0] / alpha), to_byte(sum[1] / alpha), to_byte(sum[2] / alpha),
                                             to_byte(255 * sum[3])});
    }
  }
  return result;
}

Image on_white(const Image& image) {
  Image result = image;
  for (std::size_t i = 0; i < result.rgba.size(); i += 4) {
    const float alpha = static_cast<float>(result.rgba[i + 3]) / 255;
    for (std::size_t channel = 0; channel < 3; ++channel) {
      result.rgba[i + channel] = to_byte(static_cast<float>(result.rgba[i + channel]) * alpha + 255 * (1 - alpha));
    }
    result.rgba[i + 3] = 255;
  }
  return result;
}

Image side_by_side(const std::vector<Image>& images, int gap) {
  const std::size_t rows = (images.size() + kMostSideBySide - 1) / kMostSideBySide;
  const int height = images.front().height;
  Image result{-gap, static_cast<int>(rows) * (height + gap) - gap, {}};
  for (std::size_t i = 0; i < std::min(images.size(), kMostSideBySide); ++i) result.width += images[i].width + gap;
  result.rgba.assign(std::size_t{4} * static_cast<std::size_t>(result.width) * static_cast<std::size_t>(result.height),
                     255);
  int left = 0;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const Image& image = images[i];
    if (i % kMostSideBySide == 0) left = 0;
    const int top = static_cast<int>(i / kMostSideBySide) * (height + gap);
    for (int row = 0; row < image.height; ++row) {
      const auto from = image.rgba.begin() + std::ptrdiff_t{4} * row * image.width;
      std::copy(from, from + std::ptrdiff_t{4} * image.width,
                result.rgba.begin() + std::ptrdiff_t{4} * ((top + row) * result.width + left));
    }
    left += image.width + gap;
  }
  return result;
}

Image stacked(const Image& upper, const Image& lower, int gap) {
  Image result{upper.width, upper.height + gap + lower.height, upper.rgba};
  result.rgba.resize(result.rgba.size() + std::size_t{4} * static_cast<std::size_t>(gap * result.width), 255);
  result.rgba.insert(result.rgba.end(), lower.rgba.begin(), lower.rgba.end());
  return result;
}

}  // namespace p2mpp
