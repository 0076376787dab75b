#include "backends/cpu/convolution.h"

#include "backends/cpu/cpu_cases.h"
#include "backends/self_check/cpu_check.h"

namespace p2mpp {
namespace {

class ConvolutionTest : public EveryInstructionSet {};
INSTANTIATE_TEST_SUITE_P(All, ConvolutionTest, kTestedSets, set_name);

ConvolutionSizes drawn_sizes(Draw& draw, bool of_images) {
  ConvolutionSizes sizes{};
  sizes.side = static_cast<int>(draw.whole(1, 24));
  sizes.kernel = static_cast<int>(draw.whole(1, 6));
  sizes.stride = static_cast<int>(draw.whole(1, 3));
  sizes.images = static_cast<int>(draw.whole(1, 5));
  sizes.in = of_images ? draw.whole(kColourChannels, kMaskedImageChannels) : draw.whole(1, 40);
  sizes.out = draw.whole(1, 70);
  return sizes;
}

TEST_P(ConvolutionTest, RandomSizesAndPadding) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Draw draw(seed);
    const bool of_images = seed % 4 == 0;
    const DrawnConvolution drawn(draw, drawn_sizes(draw, of_images));
    const std::size_t pixel_stride = of_images ? drawn.sizes.in : padded_channels(drawn.sizes.in);
    const auto found = convolved<float>(GetParam(), drawn, pixel_stride, 1);
    ASSERT_LT(relative_difference(found, drawn.expected(rounded<float>)), 1e-5) << "seed " << seed;
    const auto splits = convolved<SplitFloat>(GetParam(), drawn, pixel_stride, 1);
    ASSERT_LT(relative_difference(splits, drawn.expected(rounded<float>)), 2e-5) << "seed " << seed;
    const auto halves = convolved<Bfloat16>(GetParam(), drawn, pixel_stride, 1);
    ASSERT_LT(relative_difference(halves, drawn.expected(rounded<Bfloat16>)), 0.004)  // the result is rounded, too
        << "seed " << seed;
  }
}

TEST_P(ConvolutionTest, DeepWeightsGoThroughTheCacheInGroups) {
  Draw draw(5);
  const DrawnConvolution drawn(draw, {.images = 2, .side = 5, .in = 512, .out = 80, .kernel = 3, .stride = 1});
  EXPECT_LT(relative_difference(convolved<float>(GetParam(), drawn, 512, 3), drawn.expected(rounded<float>)), 1e-5);
}

}  // namespace
}  // namespace p2mpp
