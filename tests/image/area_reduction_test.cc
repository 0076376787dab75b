#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "image/resize.h"
#include "support/pixels.h"

namespace p2mpp {
namespace {

Image reduced(const Image& image, const ImageSize& to) {
  AreaReduction reduction({image.width, image.height}, to);
  for (int row = 0; row < image.height; ++row) {
    reduction.add_row(&image.rgba[4 * static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width)]);
  }
  return std::move(reduction).result();
}

double shared(double pixel, double begin, double end) {
  return std::max(0.0, std::min(pixel + 1, end) - std::max(pixel, begin));
}

/// The definition: the mean over a pixel's area, with colours weighted by alpha.
std::array<double, 4> mean(const Image& image, const ImageSize& to, int row, int column) {
  const double x = static_cast<double>(image.width) / to.width, y = static_cast<double>(image.height) / to.height;
  std::array<double, 4> sum{};
  for (int i = 0; i < image.height; ++i) {
    for (int k = 0; k < image.width; ++k) {
      const double weight = shared(i, row * y, (row + 1) * y) * shared(k, column * x, (column + 1) * x) / (x * y);
      const std::uint8_t* pixel = &image.rgba[4 * static_cast<std::size_t>(i * image.width + k)];
      for (std::size_t c = 0; c < 3; ++c) sum[c] += weight * pixel[3] * pixel[c];
      sum[3] += weight * pixel[3];
    }
  }
  for (std::size_t c = 0; c < 3; ++c) sum[c] = sum[3] > 0 ? sum[c] / sum[3] : 255;
  return sum;
}

TEST(ReducedSize, KeepsTheShapeAndWhatIsSmall) {
  EXPECT_EQ(reduced_size({2048, 2048}, 2048), (ImageSize{2048, 2048}));
  EXPECT_EQ(reduced_size({8192, 8192}, 2048), (ImageSize{2048, 2048}));
  EXPECT_EQ(reduced_size({2049, 2048}, 2048), (ImageSize{2048, 2047}));
  EXPECT_EQ(reduced_size({3000, 4000}, 2048), (ImageSize{1536, 2048}));
  EXPECT_EQ(reduced_size({16384, 2}, 2048), (ImageSize{2048, 2}));
}

TEST(AreaReduction, TakesTheMeanOverThePixelsArea) {
  for (const bool opaque : {true, false}) {
    const Image image = random_image(24, 19, opaque);
    for (const ImageSize& to :
         {ImageSize{6, 19}, ImageSize{8, 5}, ImageSize{23, 18}, ImageSize{7, 2}, ImageSize{1, 1}, ImageSize{24, 19}}) {
      const Image result = reduced(image, to);
      ASSERT_EQ(result.rgba.size(), static_cast<std::size_t>(4 * to.width * to.height));
      for (int i = 0; i < to.width * to.height; ++i) {
        const std::array<double, 4> expected = mean(image, to, i / to.width, i % to.width);
        for (std::size_t c = 0; c < 4; ++c) {
          EXPECT_NEAR(result.rgba[4 * static_cast<std::size_t>(i) + c], expected[c], 0.5 + 1e-9) << i << ' ' << c;
        }
      }
      EXPECT_EQ(is_opaque(result), opaque);
    }
  }
}

TEST(AreaReduction, DoesNotOverflow) {
  constexpr int kWidth = 16384;
  const std::vector<std::uint8_t> white(std::size_t{4} * kWidth, 255);
  AreaReduction reduction({kWidth, 4096}, {1, 1});
  for (int row = 0; row < 4096; ++row) reduction.add_row(white.data());
  EXPECT_EQ(std::move(reduction).result().rgba, std::vector<std::uint8_t>(4, 255));
}

TEST(AreaReduction, IsWhiteWhereNothingIsSeen) {
  const Image image{4, 4, std::vector<std::uint8_t>(64, 0)};
  EXPECT_EQ(reduced(image, {1, 1}).rgba, (std::vector<std::uint8_t>{255, 255, 255, 0}));
}

}  // namespace
}  // namespace p2mpp
