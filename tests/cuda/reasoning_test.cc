// Deformation reasoning blocks: both kernels on the emulation of a GPU against plain loops in double.
#include <gtest/gtest.h>

#include "cuda/reasoning_problem.h"
#include "ops/cuda/emulation/block.h"

namespace p2mpp {
namespace {

using emulation::Order;

// Of the largest value.
double tolerance(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::kFp32 ? 1e-5 : arithmetic == Arithmetic::kBf16 ? 2e-2 : 3e-3;
}

void expect_plain_loops(Problem& problem, Arithmetic arithmetic) {
  problem.run();
  EXPECT_LT(relative_difference(problem.scores, problem.expected_scores()), tolerance(arithmetic));
  EXPECT_LT(relative_difference(problem.moved, problem.expected_moves()), 1e-6);
}

class ReasoningKernels : public testing::TestWithParam<Arithmetic> {};
INSTANTIATE_TEST_SUITE_P(Arithmetics, ReasoningKernels,
                         testing::Values(Arithmetic::kFp32, Arithmetic::kTf32, Arithmetic::kBf16, Arithmetic::kFp16));

// The least and the most of everything, and what is drawn between. On Hopper the kernel for it takes what fits: halves
// of up to 192 channels.
TEST_P(ReasoningKernels, AgreeWithPlainLoops) {
  std::vector<Sizes> cases = {{1, 1, 32, 1, 1},  {4, 43, 64, 3, 3},  {5, 48, 192, 5, 2}, {2, 48, 256, 2, 5},
                              {4, 49, 32, 1, 3}, {4, 64, 192, 3, 3}, {1, 64, 256, 2, 2}};
  Draw draw(4);
  const auto whole = [&draw](int low, int high) {
    return static_cast<int>(draw.whole(static_cast<std::size_t>(low), static_cast<std::size_t>(high)));
  };
  for (int i = 0; i < 5; ++i) {
    cases.push_back({whole(1, 9), whole(1, kMaxHypotheses), whole(32, 256), whole(1, 5), whole(1, kMaxCudaViews)});
  }
  unsigned seed = 1;
  for (const Sizes& sizes : cases) {
    SCOPED_TRACE(testing::Message() << sizes.vertices << " vertices, " << sizes.hypotheses << " hypotheses, width "
                                    << sizes.hidden << ", " << sizes.layers << " layers, " << sizes.views << " views");
    Problem portable(sizes, GetParam(), Kernel::kPortable, ++seed);
    expect_plain_loops(portable, GetParam());
    const bool fits = fits_hopper(GetParam(), portable.arguments.features, sizes.hidden,
                                  hypothesis_rows(sizes.hypotheses), emulation::kMaxSharedBytes);
    EXPECT_EQ(fits, element_bytes(GetParam()) == 2 && sizes.hidden <= 192);
    if (!fits) continue;
    Problem hopper(sizes, GetParam(), Kernel::kHopper, seed);
    expect_plain_loops(hopper, GetParam());
  }
}

TEST_P(ReasoningKernels, GiveTheSameBytesInEveryOrderOfTheirThreads) {
  const Sizes published{5, 43, 128, 4, 3};
  const Sizes more{4, 57, 64, 2, 2};
  for (const auto& [kernel, sizes] : {std::pair(Kernel::kPortable, published), std::pair(Kernel::kHopper, published),
                                      std::pair(Kernel::kPortable, more), std::pair(Kernel::kHopper, more)}) {
    if (kernel == Kernel::kHopper && element_bytes(GetParam()) != 2) continue;
    Problem expected(sizes, GetParam(), kernel, 5);
    expected.run();
    for (const Order order : {Order::kBackward, Order::kShuffled}) {
      emulation::set_order(order);
      Problem problem(sizes, GetParam(), kernel, 5);
      problem.run();
      emulation::set_order(Order::kForward);
      EXPECT_EQ(problem.scores, expected.scores);
      EXPECT_EQ(problem.moved, expected.moved);
    }
  }
}

}  // namespace
}  // namespace p2mpp
