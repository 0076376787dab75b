// Deformation reasoning blocks: both kernels on the emulation of a GPU against plain loops in double.
#include <gtest/gtest.h>

#include "backends/cuda/reasoning_cases.h"
#include "emulation/block.h"
#include "emulation/runtime.h"

namespace p2mpp {
namespace {

using emulation::Order;

class ReasoningKernels : public ::testing::TestWithParam<Arithmetic> {};
INSTANTIATE_TEST_SUITE_P(Arithmetics, ReasoningKernels,
                         ::testing::Values(Arithmetic::kFp32, Arithmetic::kTf32, Arithmetic::kBf16, Arithmetic::kFp16,
                                           Arithmetic::kFp8));

TEST_P(ReasoningKernels, AgreeWithPlainLoops) {
  emulation::Runtime runtime(emulation::kPlentyOfMemory, emulation::Runtime::Generation::kHopper);
  std::map<Kernel, int> computed = expect_plain_loops(runtime, GetParam());
  EXPECT_EQ(computed[Kernel::kPortable], GetParam() == Arithmetic::kFp8 ? 0 : 15);
  EXPECT_EQ(computed[Kernel::kHopper] > 6, element_bytes(GetParam()) <= 2) << "of up to 192 channels";
}

// The tolerance of fp8 follows from the bits that sums keep. With those of fp32 it is tight enough for a residual that
// is a tenth too small to be found.
TEST(ReasoningInFp8, AgreesWithPlainLoopsWithSumsOfFp32) {
  emulation::Runtime runtime(emulation::kPlentyOfMemory, emulation::Runtime::Generation::kHopper);
  emulation::set_fp8_sum_bits(kFloatSumBits);
  EXPECT_GT(expect_plain_loops(runtime, Arithmetic::kFp8, kFloatSumBits)[Kernel::kHopper], 6);
  emulation::set_fp8_sum_bits(kHopperFp8SumBits);
}

TEST_P(ReasoningKernels, GiveTheSameBytesInEveryOrderOfTheirThreads) {
  const Sizes published{5, 43, 128, 4, 3};
  const Sizes more{4, 57, 64, 2, 2};
  for (const auto& [kernel, sizes] : {std::pair(Kernel::kPortable, published), std::pair(Kernel::kHopper, published),
                                      std::pair(Kernel::kPortable, more), std::pair(Kernel::kHopper, more)}) {
    emulation::Runtime runtime(emulation::kPlentyOfMemory, emulation::Runtime::Generation::kHopper);
    Problem expected(runtime, sizes, GetParam(), kernel, 5);
    if (!expected.fits()) continue;
    expected.run();
    for (const Order order : {Order::kBackward, Order::kShuffled}) {
      emulation::set_order(order);
      Problem problem(runtime, sizes, GetParam(), kernel, 5);
      problem.run();
      emulation::set_order(Order::kForward);
      EXPECT_EQ(problem.scores, expected.scores);
      EXPECT_EQ(problem.moved, expected.moved);
    }
  }
}

}  // namespace
}  // namespace p2mpp
