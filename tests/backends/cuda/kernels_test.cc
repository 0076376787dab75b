// The kernels on the emulation of a GPU, one by one: against plain loops in double, or against the CPU's operations.
#include "backends/cuda/kernels.h"

#include <gtest/gtest.h>

#include "backends/common/finding.h"
#include "backends/cpu/kernels.h"
#include "backends/cuda/kernels/sampling.h"
#include "backends/cuda/self_check/image_problems.h"
#include "backends/cuda/self_check/stage1_problems.h"
#include "backends/self_check/plain_images.h"
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

TEST(CudaKernel, ConvolutionsAreThoseOfPlainLoops) {
  emulation::Runtime runtime;
  Draw draw(1);
  for (const auto& [sizes, slices] :
       {std::pair(ConvolutionSizes{2, 9, 5, 37, 3, 1}, 1), std::pair(ConvolutionSizes{2, 10, 16, 20, 3, 2}, 2),
        std::pair(ConvolutionSizes{2, 7, 20, 70, 5, 2}, 8)}) {
    const DrawnConvolution drawn(draw, sizes);
    for (const Arithmetic arithmetic : kArithmetics) {
      EXPECT_LT(relative_difference(convolved_on(runtime, drawn, arithmetic, slices),
                                    drawn.expected(rounding_in_memory(arithmetic))),
                tolerance(arithmetic))
          << "arithmetic " << static_cast<int>(arithmetic) << ", kernel " << sizes.kernel;
    }
  }
}

TEST(CudaKernel, ALaunchThatNoDeviceTakesIsRefused) {
  emulation::Runtime runtime;
  const DeviceStream stream = runtime.stream(kComputeStream);
  EXPECT_NE(runtime.kernels().combine({.threads = 2048}, {}, stream), 0);
  EXPECT_NE(runtime.kernels().combine({.threads = 256, .shared_bytes = 300 * 1024}, {}, stream), 0);
}

TEST(CudaKernel, PreprocessingGivesTheCpusBits) {
  emulation::Runtime runtime;
  Draw draw(2);
  std::vector<Image> images;
  for (const auto& [width, height] :
       {std::pair(137, 137), std::pair(5, 300), std::pair(224, 224), std::pair(1, 1), std::pair(500, 3)}) {
    images.push_back(plain::drawn_image(draw, width, height));
    images.push_back(plain::drawn_opaque_image(draw, width, height));
  }
  for (const ImageRules& rules : {ImageRules{AlphaRule::kTransparentToWhite, kColourChannels},
                                  ImageRules{AlphaRule::kBlendOnWhite, kColourChannels},
                                  ImageRules{AlphaRule::kBlendOnWhite, kMaskedImageChannels}}) {
    EXPECT_EQ(preprocess_difference(runtime, images, rules, Arithmetic::kFp32), 0);
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
  for (double* each : {&view.fx, &view.fy, &view.cx, &view.cy}) *each = draw.uniform(100, 300);
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
