#include "image/distance_field.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace p2mpp {
namespace {

/// The lower envelope of parabolas around the samples of a line.
/// Source: Felzenszwalb and Huttenlocher, Distance Transforms of Sampled Functions (2012), algorithm 1.
class LineTransform {
 public:
  explicit LineTransform(int size)
      : values_(static_cast<std::size_t>(size)), centres_(values_.size()), starts_(values_.size() + 1) {}

  /// Replaces size samples, `stride` apart.
  void apply(float* line, std::size_t stride) {
    const std::size_t size = values_.size();
    for (std::size_t i = 0; i < size; ++i) values_[i] = line[i * stride];
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

/// Distances to the nearest pixel that is the object's (or is not).
std::vector<float> distances_to(const Mask& mask, bool object) {
  const int size = mask.width;
  const auto side = static_cast<std::size_t>(size);
  const float far = 8.0F * static_cast<float>(size) * static_cast<float>(size);
  std::vector<float> field(mask.coverage.size());
  for (std::size_t i = 0; i < field.size(); ++i) field[i] = (mask.coverage[i] >= 128) == object ? 0 : far;
  LineTransform transform(size);
  for (std::size_t i = 0; i < side; ++i) transform.apply(&field[i], side);
  for (std::size_t i = 0; i < side; ++i) transform.apply(&field[i * side], 1);
  for (float& value : field) value = std::min(std::sqrt(value), 2.0F * static_cast<float>(size));
  return field;
}

}  // namespace

std::vector<float> signed_distances(const Mask& mask) {
  const std::vector<float> outside = distances_to(mask, true);
  std::vector<float> field = distances_to(mask, false);
  for (std::size_t i = 0; i < field.size(); ++i) field[i] = field[i] > 0 ? field[i] - 0.5F : 0.5F - outside[i];
  return field;
}

}  // namespace p2mpp
