#include "io/image/pixel_total.h"

#include <fmt/format.h>

#include "io/image/image_file.h"

namespace p2mpp {
namespace {

std::size_t pixels_of(const ImageSize& size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

std::size_t pixels_in_header(const std::filesystem::path& image) {
  try {
    return pixels_of(read_image_size(image));
  } catch (const InputError&) {
    return 0;
  }
}

}  // namespace

void PixelTotal::add(const std::filesystem::path& image) {
  const auto [found, is_new] = known_.try_emplace(image, 0);
  if (is_new) found->second = pixels_in_header(image);
  add(image.filename().string(), found->second);
}

void PixelTotal::add(const std::string& name, const ImageSize& size) { add(name, pixels_of(size)); }

void PixelTotal::add(const std::string& name, std::size_t pixels) {
  pixels_ += pixels;
  if (pixels_ <= most_) return;
  throw TooManyPixels(fmt::format(
      "the images have more than {} pixels together ({} up to {}); expected fewer or smaller ones (the option "
      "max-request-pixels)",
      most_, pixels_, name));
}

}  // namespace p2mpp
