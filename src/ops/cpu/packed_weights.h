#pragma once

#include <span>
#include <vector>

#include "ops/cpu/aligned_buffer.h"
#include "ops/cpu/kernels.h"

namespace p2mpp {

/// The right-hand side of a product, in the order in which the kernels read it: blocks of as many columns as they
/// compute at once, one after the other; in a block, row after row (for bf16, pairs of rows). Columns are padded with
/// zeros to a multiple of kChannelGroup.
template <class Element>
class PackedWeights {
 public:
  PackedWeights() = default;

  /// matrix: row-major [segment_count * segment_depth, columns].
  PackedWeights(const Kernels<Element>& kernels, std::span<const float> matrix, std::size_t segment_count,
                std::size_t columns);

  [[nodiscard]] const Element* data() const { return data_.data(); }
  [[nodiscard]] int segment_count() const { return static_cast<int>(segment_count_); }
  [[nodiscard]] std::size_t depth() const { return depth_; }  ///< of a segment; even for bf16
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::size_t bytes_per_column() const { return segment_count_ * depth_ * sizeof(Element); }

 private:
  std::size_t segment_count_ = 0;
  std::size_t depth_ = 0;
  std::size_t columns_ = 0;
  AlignedBuffer<Element> data_;
};

/// `values`, then zeros up to a multiple of kChannelGroup.
[[nodiscard]] AlignedBuffer<float> padded(std::span<const float> values);

/// A product with everything but its operands filled in.
template <class Element>
[[nodiscard]] Product<Element> product_with(const PackedWeights<Element>& weights) {
  Product<Element> product{};
  product.segment_count = weights.segment_count();
  product.depth = weights.depth();
  product.weights = weights.data();
  product.last_column = weights.columns();
  product.scale = 1;
  return product;
}

/// Cuts rows into tiles of nearly equal size, none larger than the kernels take.
struct Tiles {
  Tiles(std::size_t row_count, int tile_rows)
      : rows(row_count), count((row_count + static_cast<std::size_t>(tile_rows) - 1) / static_cast<std::size_t>(tile_rows)) {}

  [[nodiscard]] std::size_t begin(std::size_t tile) const { return rows * tile / count; }
  [[nodiscard]] std::size_t size(std::size_t tile) const { return begin(tile + 1) - begin(tile); }

  std::size_t rows;
  std::size_t count;
};

}  // namespace p2mpp
