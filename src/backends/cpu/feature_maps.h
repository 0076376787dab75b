#pragma once

#include "backends/cpu/kernels.h"
#include "backends/cpu/operand_storage.h"

namespace p2mpp {

/// A feature map for each view, channels last. Each map has a border of zeros that the next convolution reads as
/// padding, so padding needs no copy.
template <class Number>
class FeatureMaps {
 public:
  using Element = ElementOf<Number>;

  static constexpr int kLargestStride = 3;  ///< of the convolutions that read a map

  FeatureMaps() = default;

  /// pixel_stride: elements from one pixel to the next. border_before: border pixels at the top and left; border_after:
  /// at the bottom and right.
  FeatureMaps(int side, std::size_t channels, std::size_t pixel_stride, int border_before, int border_after)
      : side_(side),
        channels_(channels),
        pixel_stride_(pixel_stride),
        border_before_(border_before),
        row_pixels_(side + border_before + border_after) {}

  /// Makes room for `views` views. Growing discards the contents.
  void reserve(int views) {
    const std::size_t elements = static_cast<std::size_t>(views) * view_elements() + read_beyond();
    if (elements <= part_elements_) return;
    part_elements_ = elements;
    values_ = AlignedBuffer<Element>(Storage<Number>::kParts * elements);
  }

  [[nodiscard]] int side() const { return side_; }
  [[nodiscard]] std::size_t channels() const { return channels_; }
  [[nodiscard]] std::size_t pixel_stride() const { return pixel_stride_; }
  [[nodiscard]] std::size_t row_step() const { return static_cast<std::size_t>(row_pixels_) * pixel_stride_; }

  /// Index of a pixel's first channel; x and y start at -border_before.
  [[nodiscard]] std::size_t offset(int view, int y, int x) const {
    return static_cast<std::size_t>(view) * view_elements() +
           static_cast<std::size_t>(y + border_before_) * row_step() +
           static_cast<std::size_t>(x + border_before_) * pixel_stride_;
  }
  [[nodiscard]] Element* data() { return values_.data(); }
  [[nodiscard]] const Element* data() const { return values_.data(); }
  /// Elements from a number's first part to the second; 0 if it has one.
  [[nodiscard]] std::size_t rest() const { return Storage<Number>::kParts == 2 ? part_elements_ : 0; }

 private:
  // The rows of a convolution's product are pixels, kLargestStride apart at most.
  [[nodiscard]] std::size_t read_beyond() const { return kLargestRowGroup * kLargestStride * pixel_stride_; }

  [[nodiscard]] std::size_t view_elements() const { return static_cast<std::size_t>(row_pixels_) * row_step(); }

  int side_ = 0;
  std::size_t channels_ = 0;
  std::size_t pixel_stride_ = 0;
  int border_before_ = 0;
  int row_pixels_ = 0;
  std::size_t part_elements_ = 0;
  AlignedBuffer<Element> values_;
};

}  // namespace p2mpp
