#pragma once

#include <algorithm>
#include <span>

#include "backends/cpu/kernels.h"
#include "backends/cpu/operand_storage.h"

namespace p2mpp {

/// The right-hand matrix of a product in the order in which the kernels read it: one block after another, each as wide
/// as Kernels::block_columns; within a block, one group of Kernels::depth_step rows after another, in which the
/// elements of a column are adjacent. Columns are zero-padded to a multiple of kChannelGroup. For SplitFloat, the
/// segments are there once for each product.
template <class Number>
class PackedWeights {
 public:
  using Element = ElementOf<Number>;

  PackedWeights() = default;

  /// value(row, column) gives an element of a matrix with segment_count * segment_depth rows.
  template <class Value>
  PackedWeights(const Kernels<Element>& kernels, std::size_t segment_count, std::size_t segment_depth,
                std::size_t columns, const Value& value)
      : segment_count_(segment_count * Storage<Number>::kProducts),
        depth_((segment_depth + kernels.depth_group - 1) / kernels.depth_group * kernels.depth_group),
        columns_(padded_channels(columns)),
        data_(segment_count_ * depth_ * columns_) {
    const std::size_t step = kernels.depth_step;
    for (std::size_t block = 0; block < columns; block += kernels.block_columns) {
      const std::size_t width = std::min(kernels.block_columns, columns_ - block);
      const std::size_t used = std::min(kernels.block_columns, columns - block);
      for (std::size_t segment = 0; segment < segment_count_; ++segment) {
        const std::size_t first_row = segment % segment_count * segment_depth;
        for (std::size_t k = 0; k < segment_depth; ++k) {
          const std::size_t row = segment * depth_ + k;
          Element* out = data_.data() + block * segment_count_ * depth_ + row / step * step * width + row % step;
          for (std::size_t column = 0; column < used; ++column) {
            const float weight = value(first_row + k, block + column);
            convert(part_of_weight<Number>(weight, segment / segment_count), out[column * step]);
          }
        }
      }
    }
  }

  [[nodiscard]] const Element* data() const { return data_.data(); }
  [[nodiscard]] int segment_count() const { return static_cast<int>(segment_count_); }
  [[nodiscard]] std::size_t depth() const { return depth_; }  ///< of a segment, padded with zeros
  [[nodiscard]] std::size_t columns() const { return columns_; }
  /// As many columns as stay in a cache while a thread applies them to one row after another; whole blocks.
  [[nodiscard]] std::size_t columns_in_cache(std::size_t block_columns) const {
    constexpr std::size_t kBytes = 512 * 1024;  // half of a typical L2 cache
    return std::max<std::size_t>(kBytes / (segment_count_ * depth_ * sizeof(Element)) / block_columns, 1) *
           block_columns;
  }

 private:
  std::size_t segment_count_ = 0;
  std::size_t depth_ = 0;
  std::size_t columns_ = 0;
  AlignedBuffer<Element> data_;
};

/// Copies `values` and zero-pads them to a multiple of kChannelGroup.
[[nodiscard]] inline AlignedBuffer<float> padded(std::span<const float> values) {
  AlignedBuffer<float> buffer(padded_channels(values.size()));
  std::ranges::copy(values, buffer.data());
  return buffer;
}

/// A product with everything set except its operands and outputs.
template <class Number>
[[nodiscard]] Product<ElementOf<Number>> product_with(const PackedWeights<Number>& weights) {
  Product<ElementOf<Number>> product{};
  product.segment_count = weights.segment_count();
  product.depth = weights.depth();
  product.weights = weights.data();
  product.last_column = weights.columns();
  product.scale = 1;
  return product;
}

/// Sets the first row of a segment of numbers. rest: elements from a number's first part to the second.
template <class Number>
void set_segment(Product<ElementOf<Number>>& product, int segment, const ElementOf<Number>* row, std::size_t rest) {
  product.segments[segment] = row;
  if constexpr (Storage<Number>::kProducts == 3) {
    const int numbers = product.segment_count / 3;
    product.segments[numbers + segment] = row;
    product.segments[2 * numbers + segment] = row + rest;
  }
}

/// Splits rows into tiles of nearly equal size, at most tile_rows each. Only the last one may end within a row_group.
struct Tiles {
  template <class Element>
  Tiles(std::size_t row_count, const Kernels<Element>& kernels)
      : rows(row_count),
        group(static_cast<std::size_t>(kernels.row_group)),
        count((row_count + static_cast<std::size_t>(kernels.tile_rows) - 1) /
              static_cast<std::size_t>(kernels.tile_rows)) {}

  [[nodiscard]] std::size_t begin(std::size_t tile) const {
    const std::size_t groups = (rows + group - 1) / group;
    return std::min(groups * tile / count * group, rows);
  }
  [[nodiscard]] std::size_t size(std::size_t tile) const { return begin(tile + 1) - begin(tile); }

  std::size_t rows;
  std::size_t group;
  std::size_t count;
};

}  // namespace p2mpp
