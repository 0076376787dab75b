#pragma once

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "backends/common/finding.h"
#include "backends/cuda/fp8_tolerance.h"
#include "backends/cuda/self_check/reasoning_problem.h"

namespace p2mpp {

using Kernel = ReasoningKernel;

struct Sizes {
  int vertices, hypotheses, hidden, layers, views;  // layers: but the last
};

/// A drawn block of these sizes, over two maps.
class Problem : public ReasoningProblem {
 public:
  Problem(DeviceRuntime& runtime, const Sizes& sizes, Arithmetic arithmetic, Kernel kernel, unsigned seed)
      : ReasoningProblem(runtime,
                         {.vertices = static_cast<std::size_t>(sizes.vertices),
                          .hypotheses = static_cast<std::size_t>(sizes.hypotheses),
                          .hidden = static_cast<std::size_t>(sizes.hidden),
                          .layers = static_cast<std::size_t>(sizes.layers) + 1,
                          .views = static_cast<std::size_t>(sizes.views),
                          .maps = {{14, 16}, {14, 32}}},
                         arithmetic, kernel, seed) {}
};

/// Of the largest value. fp8_sum_bits: of the device.
[[nodiscard]] inline double reasoning_tolerance(Arithmetic arithmetic, const Sizes& sizes, int fp8_sum_bits) {
  switch (arithmetic) {
    case Arithmetic::kFp32:
      return 1e-5;
    case Arithmetic::kBf16:
      return 2e-2;
    case Arithmetic::kFp8:
      return fp8_tolerance(fp8_sum_bits, sizes.layers, sizes.hidden);
    default:
      return 3e-3;
  }
}

/// Both kernels, where the device has them, against plain loops: the least and the most of everything, and what is
/// drawn between. Gives how many problems of each kernel were computed.
inline std::map<Kernel, int> expect_plain_loops(DeviceRuntime& runtime, Arithmetic arithmetic,
                                                int fp8_sum_bits = kHopperFp8SumBits) {
  std::vector<Sizes> cases = {{1, 1, 32, 1, 1},  {4, 43, 64, 3, 3},  {5, 48, 192, 5, 2}, {2, 48, 256, 2, 5},
                              {4, 49, 32, 1, 3}, {4, 64, 192, 3, 3}, {1, 64, 256, 2, 2}};
  Draw draw(4);
  const auto whole = [&draw](int low, int high) {
    return static_cast<int>(draw.whole(static_cast<std::size_t>(low), static_cast<std::size_t>(high)));
  };
  for (int i = 0; i < 5; ++i) {
    cases.push_back({whole(1, 9), whole(1, kMaxHypotheses), whole(32, 256), whole(1, 5), whole(1, kViewsAtOnce)});
  }
  cases.insert(cases.end(), {{3, 43, 64, 2, 8}, {5, 20, 96, 3, 24}, {2, 64, 64, 2, kMaxCudaViews}});
  std::map<Kernel, int> computed;
  unsigned seed = 1;
  for (const Sizes& sizes : cases) {
    ++seed;
    for (const Kernel kernel : {Kernel::kPortable, Kernel::kHopper}) {
      SCOPED_TRACE(testing::Message() << (kernel == Kernel::kHopper ? "Hopper, " : "portable, ") << sizes.vertices
                                      << " vertices, " << sizes.hypotheses << " hypotheses, width " << sizes.hidden
                                      << ", " << sizes.layers << " layers, " << sizes.views << " views");
      Problem problem(runtime, sizes, arithmetic, kernel, seed);
      if (!problem.fits()) continue;
      problem.run();
      EXPECT_LT(relative_difference(problem.features, problem.expected_features()), 2e-6);
      EXPECT_LT(relative_difference(problem.scores, problem.expected_scores()),
                reasoning_tolerance(arithmetic, sizes, fp8_sum_bits));
      EXPECT_LT(relative_difference(problem.moved, problem.expected_moves()), 1e-6);
      ++computed[kernel];
    }
  }
  return computed;
}

}  // namespace p2mpp
