#include "io/image/pixel_budget.h"

#include <fmt/format.h>

#include "p2mpp/error.h"

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

}  // namespace p2mpp
