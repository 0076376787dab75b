#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

#include "io/image/image_file.h"
#include "io/image/max_pixels.h"

namespace p2mpp {

/// Bounds the pixels of the photographs that several threads decode at the same time. Thread-safe. It must outlive the
/// shares.
class PixelGate {
 public:
  explicit PixelGate(std::size_t most = kMaxPixelsInWork) : most_(most) {}

  /// Waits until there is room for an image, which the result takes until it is destroyed. A thread with a share must
  /// not ask for another. Throws InputError with the image's name if it has more pixels than there may be in all.
  [[nodiscard]] std::shared_ptr<void> enter(const ImageSize& size, const std::string& name);

 private:
  void leave(std::size_t pixels);

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable has_room_;
  std::size_t held_ = 0;
};

}  // namespace p2mpp
