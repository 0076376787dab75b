#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace p2mpp {

/// Replaces each of the values [height, width] by the sum over the square of 2 kReach + 1 pixels around it; 0 where the
/// square leaves the picture. `scratch`: memory that calls share.
template <std::size_t kReach>
void sum_patches(std::vector<float>& values, std::size_t width, std::size_t height, std::vector<float>& scratch) {
  scratch.assign(values.size(), 0);
  for (std::size_t y = 0; y < height; ++y) {
    const float* const from = &values[y * width];
    float* const to = &scratch[y * width];
    for (std::size_t x = kReach; x + kReach < width; ++x) {
      float sum = 0;
      for (std::size_t k = 0; k <= 2 * kReach; ++k) sum += from[x + k - kReach];
      to[x] = sum;
    }
  }
  std::ranges::fill(values, 0.0F);
  for (std::size_t y = kReach; y + kReach < height; ++y) {
    float* const to = &values[y * width];
    for (std::size_t k = 0; k <= 2 * kReach; ++k) {
      const float* const from = &scratch[(y + k - kReach) * width];
      for (std::size_t x = 0; x < width; ++x) to[x] += from[x];
    }
  }
}

}  // namespace p2mpp
