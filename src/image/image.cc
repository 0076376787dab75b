#include "p2mpp/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr std::size_t kChannels = 4;
constexpr std::uint8_t kWhite = 255;

}  // namespace

bool is_opaque(const Image& image) {
  for (std::size_t i = kChannels - 1; i < image.rgba.size(); i += kChannels) {
    if (image.rgba[i] != 255) return false;
  }
  return true;
}

Image padded_to_square(Image image) {
  if (image.width == image.height) return image;
  const int side = std::max(image.width, image.height);
  const auto pixels = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
  if (pixels > kMaxPaddedPixels) {
    throw InputError(
        fmt::format("image of {}x{} pixels is too large to be padded to a square; expected at most {} pixels",
                    image.width, image.height, kMaxPaddedPixels));
  }
  // An image without transparency stays one: where it has some, it says what the object is.
  const std::uint8_t alpha = is_opaque(image) ? 255 : 0;
  Image square{side, side, std::vector<std::uint8_t>(kChannels * pixels, kWhite)};
  if (alpha == 0) {
    for (std::size_t i = kChannels - 1; i < square.rgba.size(); i += kChannels) square.rgba[i] = 0;
  }
  const auto row_bytes = kChannels * static_cast<std::size_t>(image.width);
  const auto left = static_cast<std::size_t>((side - image.width) / 2),
             top = static_cast<std::size_t>((side - image.height) / 2);
  for (std::size_t row = 0; row < static_cast<std::size_t>(image.height); ++row) {
    std::memcpy(square.rgba.data() + kChannels * ((top + row) * static_cast<std::size_t>(side) + left),
                image.rgba.data() + row * row_bytes, row_bytes);
  }
  return square;
}

}  // namespace p2mpp
