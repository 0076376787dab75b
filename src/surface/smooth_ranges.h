#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace p2mpp {

/// What differing ranges of neighbouring pixels cost: `slope` a step, and `jump` at most.
struct RangeJoins {
  float slope, jump;
};

/// Chooses a range for each of some pixels of a square picture, so that the ranges are cheap and change little from
/// pixel to pixel: semi-global matching along rows and columns (Hirschmueller, 2008).
class SmoothRanges {
 public:
  /// pixels: ascending. steps: number of ranges.
  SmoothRanges(int width, std::vector<std::size_t> pixels, std::size_t steps);

  [[nodiscard]] std::span<const std::size_t> pixels() const { return pixels_; }
  /// Of a pixel by its place in pixels(), to be filled: the cost of each range.
  [[nodiscard]] std::span<float> costs(std::size_t place) { return {&costs_[place * steps_], steps_}; }

  /// Of each pixel, the number of the range.
  [[nodiscard]] std::vector<std::size_t> choose(const RangeJoins& joins) const;

 private:
  /// Adds the costs of paths that reach each pixel from the neighbour at an offset.
  void add_paths(std::ptrdiff_t offset, const RangeJoins& joins, std::vector<float>& sums) const;
  [[nodiscard]] std::int32_t neighbour(std::size_t place, std::ptrdiff_t offset) const;

  std::ptrdiff_t width_;
  std::vector<std::size_t> pixels_;
  std::vector<std::int32_t> place_of_;  // of the picture's pixels; kNone
  std::size_t steps_;
  std::vector<float> costs_;  // [pixels, steps]
};

}  // namespace p2mpp
