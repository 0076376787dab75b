#include "surface/smooth_ranges.h"

#include <algorithm>
#include <utility>

namespace p2mpp {
namespace {

constexpr std::int32_t kNone = -1;

/// The cheapest way to each range from those of a neighbour, less the cheapest of all, which keeps sums small.
void join(std::span<const float> from, const RangeJoins& joins, std::span<float> to) {
  const float least = std::ranges::min(from);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::min(from[i] - least, joins.jump);
  for (std::size_t i = 1; i < to.size(); ++i) to[i] = std::min(to[i], to[i - 1] + joins.slope);
  for (std::size_t i = to.size() - 1; i > 0; --i) to[i - 1] = std::min(to[i - 1], to[i] + joins.slope);
}

}  // namespace

SmoothRanges::SmoothRanges(int width, std::vector<std::size_t> pixels, std::size_t steps)
    : width_(width),
      pixels_(std::move(pixels)),
      place_of_(static_cast<std::size_t>(width_ * width_), kNone),
      steps_(steps),
      costs_(pixels_.size() * steps) {
  for (std::size_t i = 0; i < pixels_.size(); ++i) place_of_[pixels_[i]] = static_cast<std::int32_t>(i);
}

std::int32_t SmoothRanges::neighbour(std::size_t place, std::ptrdiff_t offset) const {
  const auto pixel = static_cast<std::ptrdiff_t>(pixels_[place]), other = pixel + offset;
  const bool is_beside = std::abs(offset) == width_ || other / width_ == pixel / width_;
  const bool is_in = other >= 0 && other < width_ * width_ && is_beside;
  return is_in ? place_of_[static_cast<std::size_t>(other)] : kNone;
}

void SmoothRanges::add_paths(std::ptrdiff_t offset, const RangeJoins& joins, std::vector<float>& sums) const {
  std::vector<float> paths = costs_;
  std::vector<float> joined(steps_);
  for (std::size_t i = 0; i < pixels_.size(); ++i) {
    const std::size_t place = offset < 0 ? i : pixels_.size() - 1 - i;  // its neighbour comes before it
    const std::int32_t before = neighbour(place, offset);
    if (before == kNone) continue;
    join({&paths[static_cast<std::size_t>(before) * steps_], steps_}, joins, joined);
    for (std::size_t k = 0; k < steps_; ++k) paths[place * steps_ + k] += joined[k];
  }
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += paths[i];
}

std::vector<std::size_t> SmoothRanges::choose(const RangeJoins& joins) const {
  std::vector<float> sums(costs_.size());
  for (const std::ptrdiff_t offset : {std::ptrdiff_t{-1}, std::ptrdiff_t{1}, -width_, width_}) {
    add_paths(offset, joins, sums);
  }
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < pixels_.size(); ++i) {
    const std::span<const float> own(&sums[i * steps_], steps_);
    chosen.push_back(static_cast<std::size_t>(std::ranges::min_element(own) - own.begin()));
  }
  return chosen;
}

}  // namespace p2mpp
