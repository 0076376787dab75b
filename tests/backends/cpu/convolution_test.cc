#include "backends/cpu/convolution.h"

#include "backends/cpu/cpu_cases.h"

namespace p2mpp {
namespace {

class ConvolutionTest : public EveryInstructionSet {};
INSTANTIATE_TEST_SUITE_P(All, ConvolutionTest, kUsableSets, set_name);

struct ConvolutionCase {
  explicit ConvolutionCase(Draw& draw, bool of_images)
      : side(static_cast<int>(draw.whole(1, 24))),
        kernel(static_cast<int>(draw.whole(1, 6))),
        stride(static_cast<int>(draw.whole(1, 3))),
        views(static_cast<int>(draw.whole(1, 5))),
        in(of_images ? kImageChannels : draw.whole(1, 40)),
        out(draw.whole(1, 70)),
        pixels(draw.values(static_cast<std::size_t>(views * side * side) * in)),
        weight(draw.values(out * in * static_cast<std::size_t>(kernel * kernel))),
        bias(draw.values(out)) {}

  [[nodiscard]] ConvolutionWeights weights() const { return {weight, bias, kernel, stride}; }
  [[nodiscard]] int output_side() const { return (side + stride - 1) / stride; }

  /// TensorFlow's SAME convolution and ReLU, channels last.
  template <class Element>
  [[nodiscard]] std::vector<double> expected() const {
    const int before = std::max((output_side() - 1) * stride + kernel - side, 0) / 2;
    std::vector<double> result;
    for (int view = 0; view < views; ++view) {
      for (int y = 0; y < output_side(); ++y) {
        for (int x = 0; x < output_side(); ++x) {
          for (std::size_t channel = 0; channel < out; ++channel) {
            result.push_back(std::max(0.0, sum<Element>(view, y * stride - before, x * stride - before, channel)));
          }
        }
      }
    }
    return result;
  }

  template <class Element>
  [[nodiscard]] double sum(int view, int top, int left, std::size_t channel) const {
    double result = bias[channel];
    for (int ky = std::max(0, -top); ky < std::min(kernel, side - top); ++ky) {
      for (int kx = std::max(0, -left); kx < std::min(kernel, side - left); ++kx) {
        const auto pixel = static_cast<std::size_t>((view * side + top + ky) * side + left + kx);
        for (std::size_t i = 0; i < in; ++i) {
          const std::size_t at = (channel * in + i) * static_cast<std::size_t>(kernel * kernel) +
                                 static_cast<std::size_t>(ky * kernel + kx);
          result += static_cast<double>(rounded<Element>(pixels[pixel * in + i])) * rounded<Element>(weight[at]);
        }
      }
    }
    return result;
  }

  int side, kernel, stride, views;
  std::size_t in, out;
  std::vector<float> pixels, weight, bias;
};

template <class Element>
std::vector<float> convolve(const Kernels<Element>& kernels, const ConvolutionCase& c, std::size_t pixel_stride,
                            int threads) {
  const Convolution<Element> convolution(kernels, c.weights(), c.side, pixel_stride);
  FeatureMaps<Element> input(c.side, c.in, pixel_stride, convolution.border_before(), convolution.border_after());
  FeatureMaps<Element> output(convolution.output_side(), c.out, padded_channels(c.out), 2, 1);
  input.reserve(c.views);
  output.reserve(c.views);
  const float* pixel = c.pixels.data();
  for (int view = 0; view < c.views; ++view) {
    for (int i = 0; i < c.side * c.side; ++i, pixel += c.in) {
      std::transform(pixel, pixel + c.in, input.data() + input.offset(view, i / c.side, i % c.side),
                     element_from<Element>);
    }
  }
  ThreadPool pool(threads);
  FeatureMaps<float> exact(convolution.output_side(), c.out, padded_channels(c.out), 1, 0);
  exact.reserve(c.views);
  convolution.run(input, c.views, output, &exact, pool);
  std::vector<float> found;
  for (int view = 0; view < c.views; ++view) {
    for (int i = 0; i < c.output_side() * c.output_side(); ++i) {
      const Element* values = output.data() + output.offset(view, i / c.output_side(), i % c.output_side());
      const float* exact_values = exact.data() + exact.offset(view, i / c.output_side(), i % c.output_side());
      for (std::size_t channel = 0; channel < c.out; ++channel) {
        found.push_back(as_float(values[channel]));
        EXPECT_EQ(found.back(), rounded<Element>(exact_values[channel]));
      }
    }
  }
  return found;
}

TEST_P(ConvolutionTest, RandomSizesAndPadding) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Draw draw(seed);
    const bool of_images = seed % 4 == 0;
    const ConvolutionCase c(draw, of_images);
    const std::size_t pixel_stride = of_images ? kImageChannels : padded_channels(c.in);
    ASSERT_LT(relative_difference(convolve(kernels_for<float>(GetParam()), c, pixel_stride, 1), c.expected<float>()),
              1e-5)
        << "seed " << seed;
    ASSERT_LT(
        relative_difference(convolve(kernels_for<Bfloat16>(GetParam()), c, pixel_stride, 1), c.expected<Bfloat16>()),
        0.004)  // the result is rounded, too
        << "seed " << seed;
  }
}

TEST_P(ConvolutionTest, ThreadsDoNotMatter) {
  Draw draw(3);
  const ConvolutionCase c(draw, false);
  const auto& kernels = kernels_for<float>(GetParam());
  const std::vector<float> one = convolve(kernels, c, padded_channels(c.in), 1);
  for (const int threads : {2, 3, 7}) EXPECT_EQ(convolve(kernels, c, padded_channels(c.in), threads), one);
}

TEST_P(ConvolutionTest, DeepWeightsGoThroughTheCacheInGroups) {
  Draw draw(5);
  ConvolutionCase c(draw, false);
  c.side = 5;
  c.kernel = 3;
  c.stride = 1;
  c.views = 2;
  c.in = 512;
  c.out = 80;
  c.pixels = draw.values(static_cast<std::size_t>(c.views * 25) * c.in);
  c.weight = draw.values(c.out * c.in * 9);
  c.bias = draw.values(c.out);
  EXPECT_LT(relative_difference(convolve(kernels_for<float>(GetParam()), c, c.in, 3), c.expected<float>()), 1e-5);
}

}  // namespace
}  // namespace p2mpp
