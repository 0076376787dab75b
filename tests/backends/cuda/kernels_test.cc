// The kernels on the emulation of a GPU, one by one: against plain loops in double, or against the CPU's operations.
#include "backends/cuda/kernels.h"

#include <gtest/gtest.h>

#include "backends/common/preprocess.h"
#include "backends/cpu/cpu_cases.h"
#include "backends/cpu/kernels.h"
#include "backends/cuda/kernels/sampling.h"
#include "backends/cuda/packed_weights.h"
#include "backends/cuda/tiling.h"
#include "emulation/runtime.h"

namespace p2mpp {
namespace {

constexpr std::array kArithmetics = {Arithmetic::kFp32, Arithmetic::kBf16x3, Arithmetic::kTf32, Arithmetic::kBf16,
                                     Arithmetic::kFp16};

// Of the largest value.
double tolerance(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::kFp32:
      return 1e-6;
    case Arithmetic::kBf16x3:
      return 3e-5;
    case Arithmetic::kTf32:
    case Arithmetic::kFp16:
      return 2e-3;
    case Arithmetic::kBf16:
    case Arithmetic::kFp8:  // has none of these kernels
      break;
  }
  return 1e-2;
}

/// Numbers as a kernel reads and writes them.
struct Elements {
  Elements(Arithmetic which, const std::vector<float>& values) : arithmetic(which), memory(values.size()) {
    for (std::size_t i = 0; i < values.size(); ++i) set(i, values[i]);
  }

  void set(std::size_t at, float value) {
    auto* half = reinterpret_cast<std::uint16_t*>(memory.data()) + at;
    if (arithmetic == Arithmetic::kBf16) {
      *half = static_cast<std::uint16_t>(bfloat16_from(value));
    } else if (arithmetic == Arithmetic::kFp16) {
      *half = static_cast<std::uint16_t>(float16_from(value));
    } else {
      memory.data()[at] = arithmetic == Arithmetic::kTf32 ? round_to_tf32(value) : value;
    }
  }
  [[nodiscard]] float get(std::size_t at) const {
    const std::uint16_t half = reinterpret_cast<const std::uint16_t*>(memory.data())[at];
    if (arithmetic == Arithmetic::kBf16) return float_from(static_cast<Bfloat16>(half));
    if (arithmetic == Arithmetic::kFp16) return float_from(static_cast<Float16>(half));
    return memory.data()[at];
  }

  Arithmetic arithmetic;
  AlignedBuffer<float> memory;  // room for as many floats in either case
};

AlignedBuffer<float> aligned(const std::vector<float>& values) {
  AlignedBuffer<float> buffer(values.size());
  std::ranges::copy(values, buffer.data());
  return buffer;
}

AlignedBuffer<std::uint32_t> aligned(const std::vector<std::uint32_t>& words) {
  AlignedBuffer<std::uint32_t> buffer(words.size());
  std::ranges::copy(words, buffer.data());
  return buffer;
}

class CudaKernel : public testing::Test {
 protected:
  CudaKernels kernels_ = all_kernels();
  emulation::Streams streams_;
  emulation::Stream stream_{&streams_, kComputeStream};
};

struct Layer {
  int side, in, out, kernel, stride, slices;
};

// What a convolution gives, in double: [images, side, side, out].
std::vector<double> convolve(const Layer& layer, int images, const std::vector<float>& input, int input_stride,
                             const std::vector<float>& weight, const std::vector<float>& bias) {
  const int out_side = (layer.side + layer.stride - 1) / layer.stride;
  const int before = std::max((out_side - 1) * layer.stride + layer.kernel - layer.side, 0) / 2;
  std::vector<double> result;
  for (int at = 0; at < images * out_side * out_side; ++at) {
    for (int out = 0; out < layer.out; ++out) {
      double sum = static_cast<double>(bias[static_cast<std::size_t>(out)]);
      for (int ky = 0; ky < layer.kernel; ++ky) {
        for (int kx = 0; kx < layer.kernel; ++kx) {
          const int y = at / out_side % out_side * layer.stride + ky - before;
          const int x = at % out_side * layer.stride + kx - before;
          if (y < 0 || x < 0 || y >= layer.side || x >= layer.side) continue;
          const int pixel = (at / (out_side * out_side) * layer.side + y) * layer.side + x;
          for (int in = 0; in < layer.in; ++in) {
            const int row = (ky * layer.kernel + kx) * input_stride + in;
            sum += static_cast<double>(input[static_cast<std::size_t>(pixel * input_stride + in)]) *
                   static_cast<double>(weight[static_cast<std::size_t>(row * layer.out + out)]);
          }
        }
      }
      result.push_back(std::max(sum, 0.0));
    }
  }
  return result;
}

TEST_F(CudaKernel, ConvolutionsAreThoseOfPlainLoops) {
  constexpr int kImages = 2;
  Draw draw(1);
  for (const Layer& layer : {Layer{9, 5, 37, 3, 1, 1}, Layer{10, 16, 20, 3, 2, 2}, Layer{7, 20, 70, 5, 2, 8}}) {
    const auto input_stride = static_cast<int>(padded_channels(static_cast<std::size_t>(layer.in)));
    const auto output_stride = static_cast<int>(padded_channels(static_cast<std::size_t>(layer.out)));
    const int out_side = (layer.side + layer.stride - 1) / layer.stride;
    const int pairs = blocks_for(layer.out, kPairChannels);
    const int depth = layer.kernel * layer.kernel * input_stride;
    std::vector<float> input = draw.values(static_cast<std::size_t>(kImages * layer.side * layer.side * input_stride));
    for (std::size_t i = 0; i < input.size(); ++i) {
      if (i % static_cast<std::size_t>(input_stride) >= static_cast<std::size_t>(layer.in)) input[i] = 0;
    }
    const std::vector<float> weight = draw.values(static_cast<std::size_t>(depth * layer.out));
    std::vector<float> bias = draw.values(static_cast<std::size_t>(layer.out));
    const std::vector<double> expected = convolve(layer, kImages, input, input_stride, weight, bias);
    bias.resize(static_cast<std::size_t>(pairs * kPairChannels));
    const AlignedBuffer<float> padded_bias = aligned(bias);
    for (const Arithmetic arithmetic : kArithmetics) {
      const auto packed = aligned(pack_weights(
          arithmetic, static_cast<std::size_t>(depth), static_cast<std::size_t>(layer.out),
          [&](std::size_t row, std::size_t out) { return weight[row * static_cast<std::size_t>(layer.out) + out]; }));
      const Elements pixels(arithmetic, input);
      const int output_pixels = kImages * out_side * out_side;
      const Elements output(arithmetic,
                            std::vector<float>(static_cast<std::size_t>(output_pixels * output_stride), NAN));
      const ConvolutionArguments arguments{
          .input = pixels.memory.data(),
          .output = const_cast<float*>(output.memory.data()),
          .weights = packed.data(),
          .bias = padded_bias.data(),
          .output_pixels = output_pixels,
          .input_height = layer.side,
          .input_width = layer.side,
          .input_stride = input_stride,
          .output_height = out_side,
          .output_width = out_side,
          .output_stride = output_stride,
          .kernel = layer.kernel,
          .stride = layer.stride,
          .border_before = std::max((out_side - 1) * layer.stride + layer.kernel - layer.side, 0) / 2,
          .slices = layer.slices};
      const Launch launch{.blocks_x = blocks_for(output_pixels, kConvolutionWarpPixels * kBlockWarps / layer.slices),
                          .blocks_y = pairs,
                          .threads = kBlockThreads,
                          .shared_bytes = convolution_shared_bytes(layer.slices)};
      ASSERT_EQ(of(kernels_.convolve, arithmetic)(launch, arguments, &stream_), 0);
      std::vector<float> found;
      for (int i = 0; i < output_pixels * output_stride; ++i) {
        const float value = output.get(static_cast<std::size_t>(i));
        if (i % output_stride < layer.out) {
          found.push_back(value);
        } else {
          ASSERT_EQ(value, 0) << "padding";
        }
      }
      EXPECT_LT(relative_difference(found, expected), tolerance(arithmetic))
          << "arithmetic " << static_cast<int>(arithmetic) << ", kernel " << layer.kernel;
    }
  }
}

TEST_F(CudaKernel, ALaunchThatNoDeviceTakesIsRefused) {
  EXPECT_NE(kernels_.combine({.threads = 2048}, {}, &stream_), 0);
  EXPECT_NE(kernels_.combine({.threads = 256, .shared_bytes = 300 * 1024}, {}, &stream_), 0);
}

TEST_F(CudaKernel, PreprocessingGivesTheCpusBits) {
  struct Size {
    int width, height;
  };
  std::vector<Image> images;
  Draw draw(2);
  for (const Size& size : {Size{137, 137}, Size{5, 300}, Size{224, 224}, Size{1, 1}, Size{500, 3}}) {
    Image image{size.width, size.height, {}};
    for (int i = 0; i < 4 * size.width * size.height; ++i) {
      image.rgba.push_back(static_cast<std::uint8_t>(i % 4 == 3 && i % 5 == 0 ? 0 : draw.whole(0, 255)));
    }
    images.push_back(std::move(image));
  }
  std::vector<std::uint8_t> pixels;
  std::vector<SourceImage> sources;
  std::vector<Tap> rows;
  std::vector<Tap> columns;
  for (const Image& image : images) {
    sources.push_back({.offset = pixels.size(), .width = image.width, .height = image.height});
    pixels.insert(pixels.end(), image.rgba.begin(), image.rgba.end());
    std::ranges::copy(row_taps(image.height), std::back_inserter(rows));
    std::ranges::copy(column_taps(image.width), std::back_inserter(columns));
  }
  constexpr std::size_t kPlane = std::size_t{kResizedSide} * kResizedSide;
  AlignedBuffer<float> stage1(images.size() * kPlane * kPixelStride);
  AlignedBuffer<float> stage2(stage1.size());
  for (const AlphaRule rule : {AlphaRule::kTransparentToWhite, AlphaRule::kBlendOnWhite}) {
    const PreprocessArguments arguments{.pixels = pixels.data(),
                                        .images = sources.data(),
                                        .rows = rows.data(),
                                        .columns = columns.data(),
                                        .stage1 = stage1.data(),
                                        .stage2 = stage2.data(),
                                        .blend = rule == AlphaRule::kBlendOnWhite};
    const Launch launch{.blocks_x = blocks_for(kPlane, kBlockThreads),
                        .blocks_y = static_cast<int>(images.size()),
                        .threads = kBlockThreads};
    ASSERT_EQ(of(kernels_.preprocess, Arithmetic::kFp32)(launch, arguments, &stream_), 0);
    for (std::size_t image = 0; image < images.size(); ++image) {
      std::vector<float> planes(3 * kPlane);
      preprocess(images[image], rule, planes);
      for (std::size_t i = 0; i < kPlane; ++i) {
        for (std::size_t channel = 0; channel < kPixelStride; ++channel) {
          const std::size_t at = (image * kPlane + i) * kPixelStride + channel;
          const float expected = channel < 3 ? planes[channel * kPlane + i] : 0;
          ASSERT_EQ(stage1.data()[at], expected) << "image " << image << ", pixel " << i;
          ASSERT_EQ(stage2.data()[at], expected);
        }
      }
    }
  }
}

TEST(CudaSampling, FindsTheCpusCorners) {
  const Kernels<float>& cpu = kernels_for<float>(InstructionSet::kPortable);
  Draw draw(3);
  constexpr std::size_t kPoints = 500;
  std::vector<float> rows = draw.values(kPoints, -20, 250);
  std::vector<float> columns = draw.values(kPoints, -20, 250);
  for (std::size_t i = 0; i < 60; ++i) rows[i] = columns[60 - i] = static_cast<float>(4 * i);  // whole coordinates
  for (const Sampling sampling : {Sampling::kNearest, Sampling::kBilinear, Sampling::kFloorCeil}) {
    for (const int side : {224, 112, 56, 28, 14, 7}) {
      std::vector<std::int32_t> offsets(4 * kPoints);
      std::vector<float> weights(4 * kPoints);
      const Lookups lookups{.offset = offsets.data(),
                            .weight = weights.data(),
                            .views = 1,
                            .corners = sampling == Sampling::kNearest ? 1 : 4,
                            .stride = kPoints};
      const MapGrid grid{.height = side,
                         .width = side,
                         .origin = 0,
                         .row_step = side,
                         .column_step = 1,
                         .pixels_per_cell = 224.0F / static_cast<float>(side)};
      cpu.find_corners(sampling, grid, rows.data(), columns.data(), kPoints, 0, lookups);
      for (std::size_t i = 0; i < kPoints; ++i) {
        const cuda::Corners found =
            cuda::find_corners(sampling, side, static_cast<float>(side) / 224.0F, {rows[i], columns[i]});
        ASSERT_EQ(found.count, lookups.corners);
        for (int corner = 0; corner < found.count; ++corner) {
          const std::size_t at = static_cast<std::size_t>(corner) * kPoints + i;
          ASSERT_EQ(found.index[corner], offsets[at]) << "side " << side << " at " << rows[i] << ", " << columns[i];
          if (sampling != Sampling::kNearest) {
            ASSERT_EQ(found.weight[corner], weights[at]);
          }
        }
      }
    }
  }
}

TEST(CudaSampling, ProjectsToTheCpusPixels) {
  const Kernels<float>& cpu = kernels_for<float>(InstructionSet::kPortable);
  Draw draw(4);
  ViewTransform view{};
  for (double& each : view.rotation) each = draw.uniform(-1, 1);
  for (double& each : view.translation) each = draw.uniform(-1, 1);
  view.largest_z = -0.1;
  const std::vector<float> points = draw.values(3 * 200);
  std::vector<float> rows(200);
  std::vector<float> columns(200);
  cpu.project(view, points.data(), 200, rows.data(), columns.data());
  for (std::size_t i = 0; i < 200; ++i) {
    const cuda::PixelPosition found = cuda::project_point(view, {points[3 * i], points[3 * i + 1], points[3 * i + 2]});
    EXPECT_NEAR(found.row, rows[i], 1e-6 * std::abs(static_cast<double>(rows[i])));
    EXPECT_NEAR(found.column, columns[i], 1e-6 * std::abs(static_cast<double>(columns[i])));
  }
}

}  // namespace
}  // namespace p2mpp
