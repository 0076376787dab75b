#include "io/image/pixel_gate.h"

#include <fmt/format.h>

#include "p2mpp/error.h"

namespace p2mpp {

std::shared_ptr<void> PixelGate::enter(const ImageSize& size, const std::string& name) {
  const std::size_t pixels = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  if (pixels > most_) {
    throw InputError(fmt::format("{}: has {}x{} pixels; expected at most {} in all (the option max-pixels)", name,
                                 size.width, size.height, most_));
  }
  std::shared_ptr<void> share(nullptr, [this, pixels](void*) { leave(pixels); });
  std::unique_lock lock(mutex_);
  has_room_.wait(lock, [&] { return held_ + pixels <= most_; });
  held_ += pixels;
  return share;
}

void PixelGate::leave(std::size_t pixels) {
  const std::lock_guard lock(mutex_);
  held_ -= pixels;
  has_room_.notify_all();
}

}  // namespace p2mpp
