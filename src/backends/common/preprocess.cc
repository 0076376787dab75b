#include "backends/common/preprocess.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "backends/common/mask_evidence.h"
#include "model/network_layout.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr int kSide = kResizedSide;
constexpr std::size_t kPlane = std::size_t{kSide} * kSide;
constexpr int kWeightBits = 11;
constexpr float kWeightScale = 1 << kWeightBits;

/// A source row resized to kSide columns: [channel][column], scaled by kWeightScale.
using ResizedRow = std::array<std::array<std::int32_t, kSide>, kMaskedImageChannels>;

/// rgba: [width,4] -> bgr: [3,width + 1]. The extra pixel gives every tap a second pixel.
void composite_row(const std::uint8_t* rgba, std::size_t width, AlphaRule rule, std::uint8_t* bgr) {
  for (std::size_t x = 0; x < width; ++x) {
    for (std::size_t channel = 0; channel < kColourChannels; ++channel) {
      const std::uint32_t colour =
          composite(rule == AlphaRule::kBlendOnWhite, rgba[4 * x + 2 - channel], rgba[4 * x + 3]);
      bgr[channel * (width + 1) + x] = static_cast<std::uint8_t>(colour);
    }
  }
}

/// rgba: [width,4] -> mask: [width]
void mask_row(const std::uint8_t* rgba, std::size_t width, MaskSource source, std::uint8_t* mask) {
  for (std::size_t x = 0; x < width; ++x, rgba += 4) {
    mask[x] = static_cast<std::uint8_t>(object_share(source, rgba[0], rgba[1], rgba[2], rgba[3]));
  }
}

/// The two source rows that an output row needs, resized horizontally. Each source row is resized once as the output
/// moves down.
class RowPair {
 public:
  RowPair(const Image& image, const ImageRules& rules)
      : image_(image),
        rules_(rules),
        mask_source_(mask_source(image, rules)),
        width_(static_cast<std::size_t>(image.width)),
        taps_(column_taps(image.width)),
        channels_(rules.channels * (width_ + 1)) {}

  /// Rows outside the image repeat the border row.
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
    const std::uint8_t* const rgba = image_.rgba.data() + static_cast<std::size_t>(row) * width_ * 4;
    composite_row(rgba, width_, rules_.alpha, channels_.data());
    if (mask_source_ != MaskSource::kNone) {
      mask_row(rgba, width_, mask_source_, channels_.data() + kColourChannels * (width_ + 1));
    }
    for (std::size_t channel = 0; channel < rules_.channels; ++channel) {
      const std::uint8_t* const source = channels_.data() + channel * (width_ + 1);
      for (std::size_t x = 0; x < kSide; ++x) {
        const Tap& tap = taps_[x];
        resized[channel][x] = mix_columns(tap, source[tap.first], source[tap.first + 1]);
      }
    }
  }

  const Image& image_;
  ImageRules rules_;
  MaskSource mask_source_;
  std::size_t width_;
  Taps taps_;
  std::vector<std::uint8_t> channels_;  // [channels,width + 1] of one row
  ResizedRow upper_{};
  ResizedRow lower_{};
  int row_of_upper_ = -1;
  int row_of_lower_ = -1;
};

/// Interpolates vertically into output: [kSide].
void finish_row(const std::int32_t* upper, const std::int32_t* lower, const Tap& tap, float* output) {
  for (std::size_t x = 0; x < kSide; ++x) output[x] = static_cast<float>(mix_rows(tap, upper[x], lower[x])) / 255.0F;
}

void check_arguments(const Image& image, const ImageRules& rules, std::span<float> planes) {
  const auto pixels = static_cast<std::uint64_t>(image.width) * static_cast<std::uint64_t>(image.height);
  if (image.width < 1 || image.height < 1 || image.rgba.size() != pixels * 4) {
    throw InputError(fmt::format("image of {}x{} pixels with {} bytes; expected 4 bytes per pixel", image.width,
                                 image.height, image.rgba.size()));
  }
  if (planes.size() != rules.channels * kPlane) {
    throw Error(fmt::format("preprocess: output has {} floats; expected {}", planes.size(), rules.channels * kPlane));
  }
}

}  // namespace

Taps row_taps(int height) {
  const double scale = 1.0 / (static_cast<double>(kSide) / height);
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

Taps column_taps(int width) {
  Taps taps = row_taps(width);
  for (Tap& tap : taps) {
    if (tap.first < 0) tap = {0, static_cast<int>(kWeightScale), 0};
    if (tap.first >= width - 1) tap = {width - 1, static_cast<int>(kWeightScale), 0};
  }
  return taps;
}

MaskSource mask_source(const Image& image, const ImageRules& rules) {
  if (rules.channels != kMaskedImageChannels) return MaskSource::kNone;
  return is_opaque(image) ? MaskSource::kColours : MaskSource::kAlpha;
}

void preprocess(const Image& image, const ImageRules& rules, std::span<float> planes) {
  check_arguments(image, rules, planes);
  const Taps taps = row_taps(image.height);
  RowPair rows(image, rules);
  for (std::size_t y = 0; y < kSide; ++y) {
    rows.move_to(taps[y].first);
    for (std::size_t channel = 0; channel < rules.channels; ++channel) {
      finish_row(rows.upper()[channel].data(), rows.lower()[channel].data(), taps[y],
                 planes.data() + channel * kPlane + y * kSide);
    }
  }
}

void find_evidence(std::span<const float> mask, std::span<float> evidence) {
  constexpr std::size_t kPixels = std::size_t{kResizedSide} * kResizedSide;
  std::vector<std::uint8_t> bytes(kPixels);
  std::ranges::transform(mask, bytes.begin(),
                         [](float share) { return static_cast<std::uint8_t>(std::lrint(255 * share)); });
  std::vector<RowDistance> rows(kPixels);
  for (int y = 0; y < kResizedSide; ++y) {
    for (int x = 0; x < kResizedSide; ++x) {
      rows[static_cast<std::size_t>(y * kResizedSide + x)] = row_distance(bytes.data() + y * kResizedSide, x);
    }
  }
  float* out = evidence.data();
  for (int y = 0; y < kResizedSide; ++y) {
    for (int x = 0; x < kResizedSide; ++x) {
      float found[kEvidenceChannels];
      find_evidence(rows.data(), x, y, found);
      out = std::copy_n(found, kEvidenceChannels, out);
    }
  }
}

}  // namespace p2mpp
