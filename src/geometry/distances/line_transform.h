#pragma once

#include <cstddef>
#include <vector>

namespace p2mpp {

/// The distance transform of a line of samples: each becomes the least of another sample plus the square of the number
/// of steps to it. Applied along every axis of a grid that is 0 at some points and large elsewhere, it gives the
/// squared distances to those points. Not thread-safe. Source: Felzenszwalb and Huttenlocher, Distance Transforms of
/// Sampled Functions (2012), algorithm 1.
class LineTransform {
 public:
  /// size: samples of a line, at least one.
  explicit LineTransform(int size)
      : values_(static_cast<std::size_t>(size)), centres_(values_.size()), starts_(values_.size() + 1) {}

  /// Replaces size samples, `stride` apart.
  void apply(float* line, std::size_t stride) {
    const std::size_t size = values_.size();
    for (std::size_t i = 0; i < size; ++i) values_[i] = line[i * stride];
    // The lower envelope of the parabolas around the samples.
    std::size_t last = 0;
    centres_[0] = 0;
    starts_[0] = -1e20F;
    starts_[1] = 1e20F;
    for (std::size_t i = 1; i < size; ++i) {
      float start = meeting(i, centres_[last]);
      while (start <= starts_[last]) start = meeting(i, centres_[--last]);
      centres_[++last] = i;
      starts_[last] = start;
      starts_[last + 1] = 1e20F;
    }
    std::size_t piece = 0;
    for (std::size_t i = 0; i < size; ++i) {
      while (starts_[piece + 1] < static_cast<float>(i)) ++piece;
      const float step = static_cast<float>(i) - static_cast<float>(centres_[piece]);
      line[i * stride] = step * step + values_[centres_[piece]];
    }
  }

 private:
  [[nodiscard]] float meeting(std::size_t a, std::size_t b) const {
    const auto x = static_cast<float>(a), y = static_cast<float>(b);
    return ((values_[a] + x * x) - (values_[b] + y * y)) / (2 * (x - y));
  }

  std::vector<float> values_;
  std::vector<std::size_t> centres_;
  std::vector<float> starts_;
};

}  // namespace p2mpp
