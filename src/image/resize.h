#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "p2mpp/image.h"

namespace p2mpp {

struct ImageSize {
  int width = 0;
  int height = 0;
  [[nodiscard]] bool operator==(const ImageSize&) const = default;
};

inline constexpr int kMinImageSide = 2;  ///< pixels; a 1x1 image shows nothing

// Resizing, by filter. AreaReduction (image/area_reduction.h) is resize_area() of an image whose rows come one by one,
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

}  // namespace p2mpp
