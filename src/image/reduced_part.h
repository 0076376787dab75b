#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace p2mpp {

/// Right and bottom are exclusive.
struct PixelBox {
  int left = 0, top = 0, right = 0, bottom = 0;
};

/// A part of a picture, reduced by a whole factor: a value for each block of factor x factor pixels.
template <class Value>
class ReducedPart {
 public:
  ReducedPart() = default;

  /// Blocks at the right and at the bottom are narrower if the box ends there. mean(block): the value of a PixelBox.
  template <class Mean>
  ReducedPart(const PixelBox& box, int factor, const Mean& mean)
      : factor_(factor),
        left_(box.left),
        top_(box.top),
        width_((box.right - box.left + factor - 1) / factor),
        height_((box.bottom - box.top + factor - 1) / factor) {
    values_.reserve(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
    for (int top = box.top; top < box.bottom; top += factor) {
      for (int left = box.left; left < box.right; left += factor) {
        values_.push_back(
            mean(PixelBox{left, top, std::min(left + factor, box.right), std::min(top + factor, box.bottom)}));
      }
    }
  }

  [[nodiscard]] int width() const { return width_; }    ///< in blocks
  [[nodiscard]] int height() const { return height_; }  ///< in blocks

  [[nodiscard]] const Value& at(int row, int column) const {
    return values_[static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(column)];
  }

  /// A continuous pixel of the whole picture in blocks, whose centres are whole numbers.
  [[nodiscard]] double column_of(double x) const { return (x - left_) / factor_ - 0.5; }
  [[nodiscard]] double row_of(double y) const { return (y - top_) / factor_ - 0.5; }

 private:
  int factor_ = 1, left_ = 0, top_ = 0, width_ = 0, height_ = 0;
  std::vector<Value> values_;
};

}  // namespace p2mpp
