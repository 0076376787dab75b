#include "texture/texture_view.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "image/reduced_part.h"
#include "image/srgb.h"

namespace p2mpp {
namespace {

constexpr std::uint8_t kNotTheObject = 0, kNearOutline = 128,
                       kAwayFromOutline = 255;  ///< of the mask, see SeenColour::is_inner
constexpr std::uint8_t kMostlyCovered = 200;  ///< of 255; its neighbours must be, too: pixels at the outline are mixed

std::size_t index_of(int row, int column, int width) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(width) + static_cast<std::size_t>(column);
}

/// Whether a pixel and its eight neighbours are the object's: [height, width].
std::vector<std::uint8_t> eroded(const Mask& mask) {
  const int width = mask.width, height = mask.height;
  std::vector<std::uint8_t> across(mask.coverage.size()), result(mask.coverage.size());
  for (int row = 0; row < height; ++row) {
    const std::uint8_t* in = &mask.coverage[index_of(row, 0, width)];
    std::uint8_t* out = &across[index_of(row, 0, width)];
    for (int column = 1; column + 1 < width; ++column) {
      out[column] =
          in[column - 1] >= kMostlyCovered && in[column] >= kMostlyCovered && in[column + 1] >= kMostlyCovered;
    }
  }
  for (int row = 1; row + 1 < height; ++row) {
    const std::uint8_t* in = &across[index_of(row, 0, width)];
    std::uint8_t* out = &result[index_of(row, 0, width)];
    for (int column = 0; column < width; ++column) {
      out[column] = in[column - width] & in[column] & in[column + width];
    }
  }
  return result;
}

PixelBox inside_box(const std::vector<std::uint8_t>& inside, int width, int height) {
  PixelBox box{width, height, 0, 0};
  for (int row = 0; row < height; ++row) {
    const auto begin = inside.begin() + static_cast<std::ptrdiff_t>(index_of(row, 0, width)), end = begin + width;
    const auto first = std::find(begin, end, 1);
    if (first == end) continue;
    auto last = end - 1;
    while (*last == 0) --last;
    box.left = std::min(box.left, static_cast<int>(first - begin));
    box.right = std::max(box.right, static_cast<int>(last - begin) + 1);
    box.top = std::min(box.top, row);
    box.bottom = row + 1;
  }
  return box.bottom == 0 ? PixelBox{} : box;
}

/// Linear values of sRGB, for many pixels.
const std::array<float, 256>& linear_table() {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> values;
    for (int i = 0; i < 256; ++i) values[static_cast<std::size_t>(i)] = linear_from_srgb(static_cast<std::uint8_t>(i));
    return values;
  }();
  return table;
}

}  // namespace

double pixels_per_unit(const SourcePhotograph& photograph, const Eigen::Vector3d& point) {
  const double depth = (photograph.cam_from_world * point).z();
  return depth > 0 ? std::sqrt(photograph.lens.fx * photograph.lens.fy) / depth : 0;
}

TextureView::TextureView(const SourcePhotograph& photograph, const DecodedSource& decoded,
                         const Eigen::Vector3d& middle, double most_per_unit)
    : lens_(decoded.lens),
      cam_from_world_(photograph.cam_from_world),
      centre_(inverse(photograph.cam_from_world).translation),
      sharpness_(photograph.sharpness) {
  SourcePhotograph as_decoded = photograph;
  as_decoded.lens = decoded.lens;
  const double per_unit = pixels_per_unit(as_decoded, middle);
  constexpr double kMostFactor = 64;
  if (most_per_unit > 0) factor_ = static_cast<int>(std::clamp(per_unit / most_per_unit, 1.0, kMostFactor));
  reduce(decoded);
}

void TextureView::reduce(const DecodedSource& decoded) {
  const std::vector<std::uint8_t> inside = eroded(decoded.mask);
  const PixelBox box = inside_box(inside, decoded.mask.width, decoded.mask.height);
  left_ = box.left;
  top_ = box.top;
  width_ = (box.right - box.left + factor_ - 1) / factor_;
  height_ = (box.bottom - box.top + factor_ - 1) / factor_;
  rgba_.assign(4 * static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_), 0);
  for (int row = 0; row < height_; ++row) reduce_row(decoded, inside, row);
  // Masks are less exact in large photographs.
  constexpr int kShare = 100, kLeastReach = 3;
  const int longest = std::max(box.right - box.left, box.bottom - box.top);
  const int reach = (std::max(kLeastReach, longest / kShare) + factor_ - 1) / factor_;
  for (int row = 0; row < height_; ++row) {
    for (int column = 0; column < width_; ++column) {
      std::uint8_t& alpha = rgba_[4 * index_of(row, column, width_) + 3];
      if (alpha != kNotTheObject && is_inner(row, column, reach)) alpha = kAwayFromOutline;
    }
  }
}

/// Whether the pixels that are so far from one, to eight sides, are the object's.
bool TextureView::is_inner(int row, int column, int reach) const {
  for (int y = row - reach; y <= row + reach; y += reach) {
    for (int x = column - reach; x <= column + reach; x += reach) {
      if (y < 0 || x < 0 || y >= height_ || x >= width_) return false;
      if (rgba_[4 * index_of(y, x, width_) + 3] == kNotTheObject) return false;
    }
  }
  return true;
}

void TextureView::reduce_row(const DecodedSource& decoded, const std::vector<std::uint8_t>& inside, int row) {
  const std::array<float, 256>& linear = linear_table();
  const int width = decoded.image.width, height = decoded.image.height;
  const float share = 1 / static_cast<float>(factor_ * factor_);
  for (int column = 0; column < width_; ++column) {
    std::uint8_t* out = &rgba_[4 * index_of(row, column, width_)];
    const int left = left_ + column * factor_, top = top_ + row * factor_;
    if (left + factor_ > width || top + factor_ > height) continue;
    std::array<float, 3> sum{};
    bool is_inside = true;
    for (int y = top; y < top + factor_ && is_inside; ++y) {
      const std::size_t first = index_of(y, left, width);
      for (std::size_t i = first; i < first + static_cast<std::size_t>(factor_); ++i) {
        is_inside = is_inside && inside[i] != 0;
        const std::uint8_t* pixel = &decoded.image.rgba[4 * i];
        for (std::size_t c = 0; c < 3; ++c) sum[c] += linear[pixel[c]];
      }
    }
    if (!is_inside) continue;
    if (factor_ == 1) {
      std::copy_n(&decoded.image.rgba[4 * index_of(top, left, width)], 3, out);
    } else {
      for (std::size_t c = 0; c < 3; ++c) out[c] = srgb_from_linear(sum[c] * share);
    }
    out[3] = kNearOutline;
  }
}

std::optional<Eigen::Vector2f> TextureView::pixel_of(const Eigen::Vector3d& point) const {
  const std::optional<Eigen::Vector2d> pixel = lens_.pixel_of(cam_from_world_ * point);
  if (!pixel) return std::nullopt;
  const Eigen::Vector2d reduced = (*pixel - Eigen::Vector2d(left_, top_)) / factor_;
  constexpr double kFar = 1e6;
  if (!(reduced.cwiseAbs().maxCoeff() < kFar)) return std::nullopt;
  return reduced.cast<float>();
}

SeenColour TextureView::at(const Eigen::Vector2f& pixel) const {
  const float x = pixel.x() - 0.5F, y = pixel.y() - 0.5F;
  const int column = static_cast<int>(std::floor(x)), row = static_cast<int>(std::floor(y));
  const float s = x - static_cast<float>(column), t = y - static_cast<float>(row);
  const std::array<float, 256>& linear = linear_table();
  SeenColour seen{.is_inner = true};
  float covered = 0;
  for (int dy = 0; dy < 2; ++dy) {
    for (int dx = 0; dx < 2; ++dx) {
      if (column + dx < 0 || row + dy < 0 || column + dx >= width_ || row + dy >= height_) continue;
      const std::uint8_t* rgba = &rgba_[4 * index_of(row + dy, column + dx, width_)];
      if (rgba[3] == kNotTheObject) continue;
      seen.is_inner = seen.is_inner && rgba[3] == kAwayFromOutline;
      const float weight = (dx == 0 ? 1 - s : s) * (dy == 0 ? 1 - t : t);
      seen.colour += weight * Eigen::Vector3f(linear[rgba[0]], linear[rgba[1]], linear[rgba[2]]);
      covered += weight;
    }
  }
  constexpr float kLeastCovered = 0.5F;
  if (covered < kLeastCovered) return {};
  seen.colour /= covered;
  seen.is_valid = true;
  return seen;
}

}  // namespace p2mpp
