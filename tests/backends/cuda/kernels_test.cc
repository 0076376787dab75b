// Lookups of the kernels against the CPU's operations, exactly. device_check_test.cc compares whole kernels.
#include "backends/cuda/kernels.h"

#include <gtest/gtest.h>

#include "backends/cpu/kernels.h"
#include "backends/cuda/kernels/sampling.h"
#include "backends/self_check/drawn_operations.h"
#include "emulation/runtime.h"

namespace p2mpp {
namespace {

TEST(CudaKernel, ALaunchThatNoDeviceTakesIsRefused) {
  emulation::Runtime runtime;
  const DeviceStream stream = runtime.stream(kComputeStream);
  EXPECT_NE(runtime.kernels().combine({.threads = 2048}, {}, stream), 0);
  EXPECT_NE(runtime.kernels().combine({.threads = 256, .shared_bytes = 300 * 1024}, {}, stream), 0);
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
