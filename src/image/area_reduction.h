#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "image/resize.h"
#include "p2mpp/image.h"

namespace p2mpp {

/// The size of an image whose longer side is reduced to most_side pixels; its own size if it is not larger. The shorter
/// side is rounded, and has at least kMinImageSide pixels.
[[nodiscard]] ImageSize reduced_size(const ImageSize& size, int most_side);

/// Reduces an image whose rows come one by one: each pixel of the result is the mean over its area, with colours
/// weighted by alpha. Computed with whole numbers, so the bytes are the same everywhere.
class AreaReduction {
 public:
  /// Precondition: `to` is not larger than `from`, either way.
  AreaReduction(const ImageSize& from, const ImageSize& to);

  /// The next row from the top: from.width * 4 bytes. At most from.height rows. Does not throw.
  void add_row(const std::uint8_t* rgba);

  /// Precondition: all rows were added.
  [[nodiscard]] Image result() && { return std::move(image_); }

 private:
  void add_columns(const std::uint8_t* rgba);
  void add_to_sums(std::uint64_t weight);
  void finish_row();

  ImageSize from_;
  Image image_;
  std::uint64_t rows_begun_ = 0;        ///< of the source, where a row ends; times the result's height
  std::size_t row_ = 0;                 ///< of the result
  std::vector<std::uint32_t> columns_;  ///< of one row of the source, reduced to the result's width; premultiplied
  std::vector<std::uint64_t> sums_;     ///< of the result's current row
};

}  // namespace p2mpp
