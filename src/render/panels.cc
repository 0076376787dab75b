#include "render/panels.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "image/srgb.h"

namespace p2mpp {
namespace {

constexpr int kColumns = 5, kRows = 7;  ///< of a letter
constexpr int kAdvance = kColumns + 1;  ///< one column between letters
constexpr int kMargin = 2;              ///< around the text, in the letters' pixels
constexpr int kSidePerPixel = 224;      ///< of a picture, per pixel of its letters
constexpr int kSmallest = 32;           ///< pixels a side
constexpr std::array<int, 3> kGround = {35, 40, 48};
constexpr int kGroundAlpha = 200;  ///< of 255

/// Rows from the top; a row's highest of five bits is its left pixel.
struct Glyph {
  char letter;
  std::array<std::uint8_t, kRows> rows;
};

// clang-format off
constexpr std::array<Glyph, 47> kFont = {{
    {'0', {14, 17, 19, 21, 25, 17, 14}}, {'1', {4, 12, 4, 4, 4, 4, 14}},      {'2', {14, 17, 1, 2, 4, 8, 31}},
    {'3', {31, 2, 4, 2, 1, 17, 14}},     {'4', {2, 6, 10, 18, 31, 2, 2}},     {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},   {'7', {31, 1, 2, 4, 8, 8, 8}},       {'8', {14, 17, 17, 14, 17, 17, 14}},
    {'9', {14, 17, 17, 15, 1, 2, 12}},   {'A', {14, 17, 17, 31, 17, 17, 17}}, {'B', {30, 17, 17, 30, 17, 17, 30}},
    {'C', {14, 17, 16, 16, 16, 17, 14}}, {'D', {30, 17, 17, 17, 17, 17, 30}}, {'E', {31, 16, 16, 30, 16, 16, 31}},
    {'F', {31, 16, 16, 30, 16, 16, 16}}, {'G', {14, 17, 16, 23, 17, 17, 15}}, {'H', {17, 17, 17, 31, 17, 17, 17}},
    {'I', {14, 4, 4, 4, 4, 4, 14}},      {'J', {7, 2, 2, 2, 2, 18, 12}},      {'K', {17, 18, 20, 24, 20, 18, 17}},
    {'L', {16, 16, 16, 16, 16, 16, 31}}, {'M', {17, 27, 21, 21, 17, 17, 17}}, {'N', {17, 17, 25, 21, 19, 17, 17}},
    {'O', {14, 17, 17, 17, 17, 17, 14}}, {'P', {30, 17, 17, 30, 16, 16, 16}}, {'Q', {14, 17, 17, 17, 21, 18, 13}},
    {'R', {30, 17, 17, 30, 20, 18, 17}}, {'S', {15, 16, 16, 14, 1, 1, 30}},   {'T', {31, 4, 4, 4, 4, 4, 4}},
    {'U', {17, 17, 17, 17, 17, 17, 14}}, {'V', {17, 17, 17, 17, 17, 10, 4}},  {'W', {17, 17, 17, 21, 21, 21, 10}},
    {'X', {17, 17, 10, 4, 10, 17, 17}},  {'Y', {17, 17, 17, 10, 4, 4, 4}},    {'Z', {31, 1, 2, 4, 8, 16, 31}},
    {'.', {0, 0, 0, 0, 0, 12, 12}},      {'-', {0, 0, 0, 31, 0, 0, 0}},       {'_', {0, 0, 0, 0, 0, 0, 31}},
    {'+', {0, 4, 4, 31, 4, 4, 0}},       {',', {0, 0, 0, 0, 12, 4, 8}},       {':', {0, 12, 12, 0, 12, 12, 0}},
    {'/', {0, 1, 2, 4, 8, 16, 0}},       {'(', {2, 4, 8, 8, 8, 4, 2}},        {')', {8, 4, 2, 2, 2, 4, 8}},
    {'%', {24, 25, 2, 4, 8, 19, 3}},     {' ', {0, 0, 0, 0, 0, 0, 0}},
}};
// clang-format on
constexpr Glyph kUnknown = {'?', {31, 17, 17, 17, 17, 17, 31}};

const Glyph& find_glyph(char character) {
  const char capital = static_cast<char>(std::toupper(static_cast<unsigned char>(character)));
  const auto* const found = std::ranges::find(kFont, capital, &Glyph::letter);
  return found == kFont.end() ? kUnknown : *found;
}

void blend(std::uint8_t* rgba, const std::array<int, 3>& colour, int alpha) {
  for (std::size_t i = 0; i < 3; ++i) {
    rgba[i] = static_cast<std::uint8_t>((rgba[i] * (255 - alpha) + colour[i] * alpha) / 255);
  }
  rgba[3] = static_cast<std::uint8_t>(std::max<int>(rgba[3], alpha));
}

/// A square of the text's raster: [column, row], its upper left corner at `margin`.
bool is_lit(std::string_view text, int column, int row) {
  if (column < 0 || row < 0 || row >= kRows) return false;
  const int index = column / kAdvance, within = column % kAdvance;
  if (index >= static_cast<int>(text.size()) || within >= kColumns) return false;
  const Glyph& glyph = find_glyph(text[static_cast<std::size_t>(index)]);
  return ((glyph.rows[static_cast<std::size_t>(row)] >> (kColumns - 1 - within)) & 1) != 0;
}

}  // namespace

void draw_label(Image& image, std::string_view text) {
  const int side = std::min(image.width, image.height);
  if (side < kSmallest || text.empty()) return;
  const int scale = std::max(1, side / kSidePerPixel);
  const int most = (image.width / scale - 2 * kMargin + 1) / kAdvance;
  if (static_cast<int>(text.size()) > most) text.remove_prefix(text.size() - static_cast<std::size_t>(most));
  const int width = kAdvance * static_cast<int>(text.size()) - 1 + 2 * kMargin, height = kRows + 2 * kMargin;
  for (int row = 0; row < scale * height; ++row) {
    for (int column = 0; column < scale * width; ++column) {
      std::uint8_t* rgba = &image.rgba[4 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width) +
                                            static_cast<std::size_t>(column))];
      const bool lit = is_lit(text, column / scale - kMargin, row / scale - kMargin);
      blend(rgba, lit ? std::array<int, 3>{255, 255, 255} : kGround, lit ? 255 : kGroundAlpha);
    }
  }
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
