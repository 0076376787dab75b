#pragma once

namespace p2mpp {

struct ImageSize {
  int width = 0;
  int height = 0;
  [[nodiscard]] bool operator==(const ImageSize&) const = default;
};

inline constexpr int kMinImageSide = 2;  ///< pixels; a 1x1 image shows nothing

}  // namespace p2mpp
