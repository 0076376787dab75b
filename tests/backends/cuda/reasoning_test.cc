// Deformation reasoning blocks: both kernels on the emulation of a GPU against plain loops in double.
#include <gtest/gtest.h>

#include "backends/cuda/reasoning_cases.h"
#include "emulation/block.h"
#include "emulation/runtime.h"

namespace p2mpp {
namespace {

using emulation::Order;

constexpr std::size_t kMemoryBytes = std::size_t{1} << 30U;

class ReasoningKernels : public testing::TestWithParam<Arithmetic> {};
INSTANTIATE_TEST_SUITE_P(Arithmetics, ReasoningKernels,
                         testing::Values(Arithmetic::kFp32, Arithmetic::kTf32, Arithmetic::kBf16, Arithmetic::kFp16,
                                         Arithmetic::kFp8));

TEST_P(ReasoningKernels, AgreeWithPlainLoops) {
  emulation::Runtime runtime(kMemoryBytes, emulation::Runtime::Generation::kHopper);
  std::map<Kernel, int> computed = expect_plain_loops(runtime, GetParam());
  EXPECT_EQ(computed[Kernel::kPortable], GetParam() == Arithmetic::kFp8 ? 0 : 12);
  EXPECT_EQ(computed[Kernel::kHopper] > 6, element_bytes(GetParam()) <= 2) << "of up to 192 channels";
}

// The tolerance of fp8 follows from how sums are cut off: it holds for other devices, too. With sums of fp32 it is near
// enough to the kernel's numbers to find a wrong index in them.
TEST(ReasoningInFp8, AgreesWithPlainLoopsWithSumsOfAnyPrecision) {
  emulation::Runtime runtime(kMemoryBytes, emulation::Runtime::Generation::kHopper);
  for (const int sum_bits : {10, kFloatSumBits}) {
    emulation::set_fp8_sum_bits(sum_bits);
    EXPECT_GT(expect_plain_loops(runtime, Arithmetic::kFp8, sum_bits)[Kernel::kHopper], 6) << sum_bits;
  }
  emulation::set_fp8_sum_bits(kHopperFp8SumBits);
}

TEST_P(ReasoningKernels, GiveTheSameBytesInEveryOrderOfTheirThreads) {
  const Sizes published{5, 43, 128, 4, 3};
  const Sizes more{4, 57, 64, 2, 2};
  for (const auto& [kernel, sizes] : {std::pair(Kernel::kPortable, published), std::pair(Kernel::kHopper, published),
                                      std::pair(Kernel::kPortable, more), std::pair(Kernel::kHopper, more)}) {
    emulation::Runtime runtime(kMemoryBytes, emulation::Runtime::Generation::kHopper);
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
