#include "io/image/pixel_budget.h"

#include <fmt/format.h>

namespace p2mpp {

std::shared_ptr<void> PixelBudget::take(const ImageSize& size, const std::string& name) {
  const std::size_t pixels = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  if (pixels > most_) {
    throw InputError(fmt::format("{}: has {}x{} pixels; expected at most {} in all (the option max-pixels)", name,
                                 size.width, size.height, most_));
  }
  {
    std::unique_lock lock(mutex_);
    has_room_.wait(lock, [&] { return held_ + pixels <= most_; });
    held_ += pixels;
  }
  ++taken_;
  return share_of(pixels);
}

bool PixelBudget::admit(bool is_first) {
  std::unique_lock lock(mutex_);
  if (is_first) has_room_.wait(lock, [this] { return closed_ || held_ < most_; });
  return !closed_ && held_ < most_;
}

std::shared_ptr<void> PixelBudget::charge(std::size_t pixels) {
  {
    const std::lock_guard lock(mutex_);
    held_ += pixels;
  }
  return share_of(pixels);
}

void PixelBudget::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  has_room_.notify_all();
}

// Precondition: the pixels are counted. If the share cannot be allocated, its deleter runs and gives them back.
std::shared_ptr<void> PixelBudget::share_of(std::size_t pixels) {
  return {nullptr, [this, pixels](void*) { give_back(pixels); }};
}

void PixelBudget::give_back(std::size_t pixels) {
  const std::lock_guard lock(mutex_);
  held_ -= pixels;
  has_room_.notify_all();
}

namespace {

std::size_t count_pixels(const ImageSize& size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

std::size_t pixels_in_header(const std::filesystem::path& image) {
  try {
    return count_pixels(read_image_size(image));
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

void PixelTotal::add(const std::string& name, const ImageSize& size) { add(name, count_pixels(size)); }

void PixelTotal::add(const std::string& name, std::size_t pixels) {
  pixels_ += pixels;
  if (pixels_ <= most_) return;
  throw TooManyPixels(fmt::format(
      "the images have more than {} pixels together ({} up to {}); expected fewer or smaller ones (the option "
      "max-request-pixels)",
      most_, pixels_, name));
}

}  // namespace p2mpp
