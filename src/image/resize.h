#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "p2mpp/image.h"

namespace p2mpp {

struct ImageSize {
  int width = 0;
  int height = 0;
  [[nodiscard]] bool operator==(const ImageSize&) const = default;
};

inline constexpr int kMinImageSide = 2;  ///< pixels; a 1x1 image shows nothing

// Resizing, by filter. AreaReduction is resize_area() of an image whose rows come one by one,
// ReducedPart (image/reduced_part.h) that of a part by a whole factor. The network's own resizing is
// backends/common/resize.h: it rounds as OpenCV does, on every device. Pixels' centres are at halves. Preconditions:
// sizes are positive, and data has them. Thread-safe.

/// Scales an image with a triangle as wide as the coarser of both grids (PIL's bilinear filter): bilinear to a larger
/// size. Colours are weighted by alpha.
[[nodiscard]] Image resize_triangle(const Image& image, int width, int height);

/// The mean over each pixel's area. plane: [height, width].
[[nodiscard]] std::vector<float> resize_area(std::span<const float> plane, const ImageSize& from, const ImageSize& to);
[[nodiscard]] std::vector<std::uint8_t> resize_area(std::span<const std::uint8_t> plane, const ImageSize& from,
                                                    const ImageSize& to);

/// Interpolates between the four nearest pixels, also to a smaller size.
[[nodiscard]] Mask resize_bilinear(const Mask& mask, int width, int height);

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
