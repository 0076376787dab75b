#include "image/resize.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "image/srgb.h"

namespace p2mpp {
namespace {

/// Source pixels of an output pixel along one axis, and their weights, which add up to 1.
struct BoxTaps {
  std::size_t first = 0;
  std::vector<float> weights;
};

/// A triangle as wide as the coarser of both grids (PIL's bilinear filter).
std::vector<BoxTaps> taps_for(int from, int to) {
  const double scale = static_cast<double>(from) / to, support = std::max(1.0, scale);
  std::vector<BoxTaps> taps;
  for (int i = 0; i < to; ++i) {
    const double centre = (i + 0.5) * scale;
    const int first = std::max(0, static_cast<int>(std::floor(centre - support)));
    const int last = std::min(from, static_cast<int>(std::ceil(centre + support)));
    BoxTaps tap{static_cast<std::size_t>(first), {}};
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

/// Of each pixel of a row of `to` pixels: the mean over its share of a row of `from`, `stride` apart.
void average_row(const float* in, int from, float* out, int to, std::size_t stride) {
  const double scale = static_cast<double>(from) / to;
  for (int i = 0; i < to; ++i) {
    const double begin = i * scale, end = std::min((i + 1) * scale, static_cast<double>(from));
    double sum = 0;
    for (int k = static_cast<int>(begin); k < from && k < end; ++k) {
      const double share = std::min(end, k + 1.0) - std::max(begin, static_cast<double>(k));
      sum += share * static_cast<double>(in[static_cast<std::size_t>(k) * stride]);
    }
    out[static_cast<std::size_t>(i) * stride] = static_cast<float>(sum / (end - begin));
  }
}

}  // namespace

Image resize_triangle(const Image& image, int width, int height) {
  const std::vector<BoxTaps> columns = taps_for(image.width, width), rows = taps_for(image.height, height);
  const auto image_width = static_cast<std::size_t>(image.width);
  std::vector<Premultiplied> narrow(static_cast<std::size_t>(width) * static_cast<std::size_t>(image.height));
  for (std::size_t row = 0; row < static_cast<std::size_t>(image.height); ++row) {
    for (std::size_t column = 0; column < columns.size(); ++column) {
      const BoxTaps& taps = columns[column];
      for (std::size_t i = 0; i < taps.weights.size(); ++i) {
        add(pixel_at(image, row * image_width + taps.first + i), taps.weights[i],
            narrow[row * columns.size() + column]);
      }
    }
  }
  Image result{width, height, {}};
  result.rgba.reserve(4 * columns.size() * rows.size());
  for (const BoxTaps& taps : rows) {
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

std::vector<float> resize_area(std::span<const float> plane, const ImageSize& from, const ImageSize& to) {
  const auto from_width = static_cast<std::size_t>(from.width), from_height = static_cast<std::size_t>(from.height);
  const auto width = static_cast<std::size_t>(to.width), height = static_cast<std::size_t>(to.height);
  std::vector<float> narrow(width * from_height), result(width * height);
  for (std::size_t row = 0; row < from_height; ++row) {
    average_row(&plane[row * from_width], from.width, &narrow[row * width], to.width, 1);
  }
  for (std::size_t column = 0; column < width; ++column) {
    average_row(&narrow[column], from.height, &result[column], to.height, width);
  }
  return result;
}

std::vector<std::uint8_t> resize_area(std::span<const std::uint8_t> plane, const ImageSize& from, const ImageSize& to) {
  const std::vector<float> values(plane.begin(), plane.end());
  std::vector<std::uint8_t> result;
  for (const float value : resize_area(std::span(values), from, to)) {
    result.push_back(static_cast<std::uint8_t>(std::lround(value)));
  }
  return result;
}

Mask resize_bilinear(const Mask& mask, int width, int height) {
  if (mask.width == width && mask.height == height) return mask;
  Mask result{width, height, {}};
  result.coverage.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int row = 0; row < height; ++row) {
    const double y = std::clamp((row + 0.5) * mask.height / height - 0.5, 0.0, mask.height - 1.0);
    const int top = static_cast<int>(y), bottom = std::min(top + 1, mask.height - 1);
    for (int column = 0; column < width; ++column) {
      const double x = std::clamp((column + 0.5) * mask.width / width - 0.5, 0.0, mask.width - 1.0);
      const int left = static_cast<int>(x), right = std::min(left + 1, mask.width - 1);
      const double upper = std::lerp(mask.at(top, left), mask.at(top, right), x - left);
      const double lower = std::lerp(mask.at(bottom, left), mask.at(bottom, right), x - left);
      result.coverage.push_back(static_cast<std::uint8_t>(std::lround(std::lerp(upper, lower, y - top))));
    }
  }
  return result;
}

// A source of `from` pixels and a result of `to` pixels have the same length, from * to: a pixel of the source is `to`
// long, one of the result `from`. So weights are whole numbers. With 16384 pixels a side at most, a column's sum is
// below 2^30 and a pixel's below 2^44.

ImageSize reduced_size(const ImageSize& size, int most_side) {
  const int longer = std::max(size.width, size.height);
  if (longer <= most_side) return size;
  const auto reduced = [&](int side) {
    const double wanted = static_cast<double>(side) * most_side / longer;
    return std::max(static_cast<int>(std::lround(wanted)), std::min(side, kMinImageSide));
  };
  return {reduced(size.width), reduced(size.height)};
}

AreaReduction::AreaReduction(const ImageSize& from, const ImageSize& to)
    : from_(from), image_{to.width, to.height, {}} {
  const auto width = static_cast<std::size_t>(to.width), height = static_cast<std::size_t>(to.height);
  columns_.resize(4 * width);
  sums_.resize(4 * width);
  image_.rgba.resize(4 * width * height);
}

void AreaReduction::add_row(const std::uint8_t* rgba) {
  add_columns(rgba);
  const auto length = static_cast<std::uint64_t>(image_.height), whole = static_cast<std::uint64_t>(from_.height);
  const std::uint64_t begin = rows_begun_, end = begin + length, boundary = (row_ + 1) * whole;
  rows_begun_ = end;
  add_to_sums(std::min(end, boundary) - begin);
  if (end < boundary) return;
  finish_row();
  add_to_sums(end - boundary);
}

void AreaReduction::add_columns(const std::uint8_t* rgba) {
  std::ranges::fill(columns_, 0U);
  const auto length = static_cast<std::uint32_t>(image_.width), whole = static_cast<std::uint32_t>(from_.width);
  std::uint32_t* target = columns_.data();
  std::uint32_t room = whole;  // of the target
  const auto add = [&](std::uint32_t weight) {
    const std::uint32_t alpha = weight * rgba[3];
    for (int c = 0; c < 3; ++c) target[c] += alpha * rgba[c];
    target[3] += alpha;
  };
  for (int column = 0; column < from_.width; ++column, rgba += 4) {
    if (length < room) {
      add(length);
      room -= length;
      continue;
    }
    add(room);
    const std::uint32_t rest = length - room;
    room = whole - rest;
    target += 4;
    if (rest > 0) add(rest);
  }
}

void AreaReduction::add_to_sums(std::uint64_t weight) {
  if (weight == 0) return;
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += weight * columns_[i];
}

void AreaReduction::finish_row() {
  const std::uint64_t area = static_cast<std::uint64_t>(from_.width) * static_cast<std::uint64_t>(from_.height);
  std::uint8_t* pixel = &image_.rgba[row_ * sums_.size()];
  for (std::size_t i = 0; i < sums_.size(); i += 4, pixel += 4) {
    const std::uint64_t alpha = sums_[i + 3];
    for (std::size_t c = 0; c < 3; ++c) {
      pixel[c] = alpha == 0 ? std::uint8_t{255} : static_cast<std::uint8_t>((sums_[i + c] + alpha / 2) / alpha);
    }
    pixel[3] = static_cast<std::uint8_t>((alpha + area / 2) / area);
  }
  std::ranges::fill(sums_, 0U);
  ++row_;
}

}  // namespace p2mpp
