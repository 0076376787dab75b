#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "backends/torchscript/library.h"

namespace p2mpp::torchscript {
namespace {

TEST(PackedGemmGflops, IsARateOfThisCentury) {
  const auto begin = std::chrono::steady_clock::now();
  const double fp32 = packed_gemm_gflops(Precision::kFp32, 1);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  EXPECT_GT(fp32, 0.1);
  EXPECT_LT(fp32, 1e5);
  EXPECT_LT(elapsed.count(), 10) << "expected about 0.4 s, and a test machine may be busy";
}

TEST(PackedGemmGflops, Bf16IsMeasuredOrNoNumber) {
  const double bf16 = packed_gemm_gflops(Precision::kBf16, 1);
  EXPECT_TRUE(std::isnan(bf16) || bf16 > 0.1) << bf16;
}

TEST(PackedGemmGflops, ACpuHasNoTf32) { EXPECT_TRUE(std::isnan(packed_gemm_gflops(Precision::kTf32, 1))); }

}  // namespace
}  // namespace p2mpp::torchscript
