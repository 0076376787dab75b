#include "pipeline/pixel_budget.h"

#include <memory>

namespace p2mpp {

bool PixelBudget::admit(bool is_first) {
  std::unique_lock lock(mutex_);
  if (is_first) has_room_.wait(lock, [this] { return closed_ || held_ < most_; });
  return !closed_ && held_ < most_;
}

void PixelBudget::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  has_room_.notify_all();
}

void PixelBudget::charge(Job& job) {
  std::size_t pixels = 0;
  for (const View& view : job.sample.views) pixels += view.image.rgba.size() / 4;
  const auto end = [this, pixels](void*) { give_back(pixels); };
  {
    const std::lock_guard lock(mutex_);
    held_ += pixels;
  }
  job.pixels = std::shared_ptr<void>(nullptr, end);
}

void PixelBudget::give_back(std::size_t pixels) {
  const std::lock_guard lock(mutex_);
  held_ -= pixels;
  has_room_.notify_all();
}

}  // namespace p2mpp
