#include "ops/preprocess.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr int kSide = 224;  ///< pixels
constexpr int kChannels = 3;
constexpr std::size_t kPlane = std::size_t{kSide} * kSide;
constexpr int kWeightBits = 11;
constexpr float kWeightScale = 1 << kWeightBits;

/// Where an output pixel falls along one axis of the source: between `first` and the pixel after
/// it, with weights that add up to kWeightScale but for rounding.
struct Tap {
  int first = 0;
  int weight_first = 0;
  int weight_second = 0;
};

using Taps = std::array<Tap, kSide>;

/// A row of the source resized to kSide columns: [channel][column], scaled by kWeightScale.
using ResizedRow = std::array<std::array<std::int32_t, kSide>, kChannels>;

/// Half-pixel centres. cv2 rounds the position to float and the weights to 11 bits.
Taps make_taps(int source_size) {
  const double scale = 1.0 / (static_cast<double>(kSide) / source_size);
  Taps taps;
  for (int i = 0; i < kSide; ++i) {
    const auto position = static_cast<float>((i + 0.5) * scale - 0.5);
    const float floor = std::floor(position);
    const float fraction = position - floor;
    taps[static_cast<std::size_t>(i)] = {static_cast<int>(floor),
                                         static_cast<int>(std::lrint((1 - fraction) * kWeightScale)),
                                         static_cast<int>(std::lrint(fraction * kWeightScale))};
  }
  return taps;
}

/// Columns beyond the border take the border's pixel with all the weight.
Taps make_column_taps(int width) {
  Taps taps = make_taps(width);
  for (Tap& tap : taps) {
    if (tap.first < 0) tap = {0, static_cast<int>(kWeightScale), 0};
    if (tap.first >= width - 1) tap = {width - 1, static_cast<int>(kWeightScale), 0};
  }
  return taps;
}

/// value / 255, rounded, for value up to 255 * 255.
std::uint32_t divide_by_255(std::uint32_t value) {
  const std::uint32_t biased = value + 128;
  return (biased + (biased >> 8)) >> 8;
}

std::uint8_t composite(AlphaRule rule, std::uint32_t colour, std::uint32_t alpha) {
  const std::uint32_t result = rule == AlphaRule::kBlendOnWhite ? divide_by_255(colour * alpha + 255 * (255 - alpha))
                                                                : (alpha == 0 ? 255 : colour);
  return static_cast<std::uint8_t>(result);
}

/// rgba: [width,4] -> bgr: [3,width], one pixel more than the width so that every tap has a second
/// pixel.
void composite_row(const std::uint8_t* rgba, std::size_t width, AlphaRule rule, std::uint8_t* bgr) {
  for (std::size_t x = 0; x < width; ++x) {
    for (std::size_t channel = 0; channel < kChannels; ++channel) {
      bgr[channel * (width + 1) + x] = composite(rule, rgba[4 * x + 2 - channel], rgba[4 * x + 3]);
    }
  }
}

/// The two source rows that an output row needs, resized horizontally; rows are computed once while
/// the output goes down.
class RowPair {
 public:
  RowPair(const Image& image, AlphaRule rule)
      : image_(image),
        rule_(rule),
        width_(static_cast<std::size_t>(image.width)),
        taps_(make_column_taps(image.width)),
        bgr_(kChannels * (width_ + 1)) {}

  /// Rows beyond the border are the border's.
  void move_to(int first) {
    const int upper = std::clamp(first, 0, image_.height - 1);
    const int lower = std::clamp(first + 1, 0, image_.height - 1);
    if (row_of_lower_ == upper) {
      std::swap(upper_, lower_);
      std::swap(row_of_upper_, row_of_lower_);
    }
    if (row_of_upper_ != upper) resize_row(row_of_upper_ = upper, upper_);
    if (row_of_lower_ != lower) resize_row(row_of_lower_ = lower, lower_);
  }

  [[nodiscard]] const ResizedRow& upper() const { return upper_; }
  [[nodiscard]] const ResizedRow& lower() const { return lower_; }

 private:
  void resize_row(int row, ResizedRow& resized) {
    composite_row(image_.rgba.data() + static_cast<std::size_t>(row) * width_ * 4, width_, rule_, bgr_.data());
    for (std::size_t channel = 0; channel < kChannels; ++channel) {
      const std::uint8_t* const source = bgr_.data() + channel * (width_ + 1);
      for (std::size_t x = 0; x < kSide; ++x) {
        const Tap& tap = taps_[x];
        resized[channel][x] = source[tap.first] * tap.weight_first + source[tap.first + 1] * tap.weight_second;
      }
    }
  }

  const Image& image_;
  AlphaRule rule_;
  std::size_t width_;
  Taps taps_;
  std::vector<std::uint8_t> bgr_;
  ResizedRow upper_{};
  ResizedRow lower_{};
  int row_of_upper_ = -1;
  int row_of_lower_ = -1;
};

/// Mixes two resized rows into 8 bits as cv2 does (each product is cut to 2 bits below the pixel's
/// unit before rounding) and divides by 255. output: [kSide].
void mix_rows(const std::int32_t* upper, const std::int32_t* lower, const Tap& tap, float* output) {
  for (std::size_t x = 0; x < kSide; ++x) {
    const int from_upper = (tap.weight_first * (upper[x] >> 4)) >> 16;
    const int from_lower = (tap.weight_second * (lower[x] >> 4)) >> 16;
    output[x] = static_cast<float>((from_upper + from_lower + 2) >> 2) / 255.0F;
  }
}

void check_arguments(const Image& image, std::span<float> planes) {
  const auto pixels = static_cast<std::uint64_t>(image.width) * static_cast<std::uint64_t>(image.height);
  if (image.width < 1 || image.height < 1 || image.rgba.size() != pixels * 4) {
    throw InputError(fmt::format("image of {}x{} pixels with {} bytes; expected 4 bytes a pixel", image.width,
                                 image.height, image.rgba.size()));
  }
  if (planes.size() != kChannels * kPlane) {
    throw Error(fmt::format("preprocess: output has {} floats; expected {}", planes.size(), kChannels * kPlane));
  }
}

}  // namespace

void preprocess(const Image& image, AlphaRule rule, std::span<float> planes) {
  check_arguments(image, planes);
  const Taps row_taps = make_taps(image.height);
  RowPair rows(image, rule);
  for (std::size_t y = 0; y < kSide; ++y) {
    rows.move_to(row_taps[y].first);
    for (std::size_t channel = 0; channel < kChannels; ++channel) {
      mix_rows(rows.upper()[channel].data(), rows.lower()[channel].data(), row_taps[y],
               planes.data() + channel * kPlane + y * kSide);
    }
  }
}

}  // namespace p2mpp
