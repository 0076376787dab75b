// Deformation reasoning blocks of many sizes on a real GPU, by the kernels that it has, against plain loops in double.
#include <gtest/gtest.h>

#include <cstdlib>

#include "backends/cuda/cuda_runtime.h"
#include "backends/cuda/reasoning_cases.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

class ReasoningOnDevice : public testing::TestWithParam<Arithmetic> {};
INSTANTIATE_TEST_SUITE_P(Arithmetics, ReasoningOnDevice,
                         testing::Values(Arithmetic::kFp32, Arithmetic::kTf32, Arithmetic::kBf16, Arithmetic::kFp16,
                                         Arithmetic::kFp8));

TEST_P(ReasoningOnDevice, AgreesWithPlainLoops) {
  std::unique_ptr<DeviceRuntime> runtime;
  try {
    runtime = make_cuda_runtime(0);
    runtime->use();
  } catch (const Error& error) {
    ASSERT_EQ(std::getenv("P2MPP_REQUIRE_GPU"), nullptr) << error.what();  // NOLINT(concurrency-mt-unsafe)
    GTEST_SKIP() << error.what();
  }
  std::map<Kernel, int> computed = expect_plain_loops(*runtime, GetParam());
  EXPECT_EQ(computed[Kernel::kPortable] > 6, GetParam() != Arithmetic::kFp8);
  EXPECT_EQ(computed[Kernel::kHopper] > 6, runtime->is_hopper() && element_bytes(GetParam()) <= 2);
}

}  // namespace
}  // namespace p2mpp
