#include "io/image/pixel_total.h"

#include <fmt/format.h>

#include "io/image/image_file.h"

namespace p2mpp {
namespace {

std::size_t pixels_in_header(const std::filesystem::path& image) {
  try {
    const ImageSize size = read_image_size(image);
    return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  } catch (const InputError&) {
    return 0;
  }
}

}  // namespace

void PixelTotal::add(const std::filesystem::path& image) {
  const auto [found, is_new] = known_.try_emplace(image, 0);
  if (is_new) found->second = pixels_in_header(image);
  pixels_ += found->second;
  if (pixels_ <= most_) return;
  throw TooManyPixels(fmt::format(
      "the images have more than {} pixels together ({} up to {}); expected fewer or smaller ones (the option "
      "max-request-pixels)",
      most_, pixels_, image.filename().string()));
}

}  // namespace p2mpp
