// Deformation reasoning blocks of many sizes on a real GPU, by the kernels that it has, against plain loops in double.
#include <gtest/gtest.h>

#include <cstdlib>

#include "backends/cuda/device_runtime.h"
#include "backends/cuda/reasoning_cases.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

class OnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      runtime_ = make_cuda_runtime(0);
      runtime_->use();
    } catch (const Error& error) {
      ASSERT_EQ(std::getenv("P2MPP_REQUIRE_GPU"), nullptr) << error.what();  // NOLINT(concurrency-mt-unsafe)
      GTEST_SKIP() << error.what();
    }
  }

  std::unique_ptr<DeviceRuntime> runtime_;
};

class ReasoningOnDevice : public OnDevice, public testing::WithParamInterface<Arithmetic> {};
INSTANTIATE_TEST_SUITE_P(Arithmetics, ReasoningOnDevice,
                         ::testing::Values(Arithmetic::kFp32, Arithmetic::kTf32, Arithmetic::kBf16, Arithmetic::kFp16,
                                           Arithmetic::kFp8));

TEST_P(ReasoningOnDevice, AgreesWithPlainLoops) {
  std::map<Kernel, int> computed = expect_plain_loops(*runtime_, GetParam());
  EXPECT_EQ(computed[Kernel::kPortable] > 6, GetParam() != Arithmetic::kFp8);
  EXPECT_EQ(computed[Kernel::kHopper] > 6, runtime_->is_hopper() && element_bytes(GetParam()) <= 2);
}

// The emulation has the same priorities.
TEST_F(OnDevice, TheComputeStreamGoesFirst) {
  for (const int other : {kBesideStream, kCopyInStream, kCopyOutStream}) {
    EXPECT_LT(runtime_->priority(runtime_->stream(kComputeStream)), runtime_->priority(runtime_->stream(other)));
  }
}

}  // namespace
}  // namespace p2mpp
