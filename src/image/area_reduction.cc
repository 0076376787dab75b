#include "image/area_reduction.h"

#include <algorithm>
#include <cmath>

namespace p2mpp {

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
