#include "engine/selftest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "backends/self_check/cpu_check.h"
#include "base/machine/instruction_set.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

TEST(Selftest, ComparesEveryOperationAndWholeNetworks) {
  std::size_t told = 0;
  const SelftestReport report =
      run_selftest({.device = "cpu", .precisions = {"fp32"}, .instruction_set = "portable", .threads = 1},
                   [&told](const SelftestCheck&) { ++told; });
  EXPECT_TRUE(report.passed());
  EXPECT_EQ(told, report.checks.size());
  EXPECT_EQ(report.note, "");
  for (const char* what :
       {"convolution", "graph convolution", "projection", "deformation reasoning: scores", "preprocess",
        "nearest neighbours", "whole network, tf, mean", "whole network, design_b, mean", "whole network, clean, mean",
        "whole network, clean with masks, mean"}) {
    EXPECT_EQ(std::ranges::count(report.checks, what, &SelftestCheck::what), 1) << what;
  }
  ASSERT_EQ(report.rates.size(), 1U);
  EXPECT_GT(report.rates[0].copied_gb_per_s, 0.1);
}

TEST(Selftest, FailsForWhatIsTooFarOffOrNotThere) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const SelftestCheck good{"cpu", "fp32", "convolution", 1e-6, 1e-5, {}};
  EXPECT_TRUE((SelftestReport{{good}, {}, {}}.passed()));
  for (const SelftestCheck& bad : {SelftestCheck{"cpu", "fp32", "convolution", 2e-5, 1e-5, {}},
                                   SelftestCheck{"cpu", "fp32", "convolution", kInfinity, 1e-5, {}},
                                   SelftestCheck{"cpu", "fp32", "convolution", std::nan(""), 1e-5, {}},
                                   SelftestCheck{"cuda:0", "fp32", "kernels", 0, 0, "CUDA: out of memory"}}) {
    EXPECT_FALSE((SelftestReport{{good, bad}, {}, {}}.passed())) << bad.error << bad.problem;
  }
}

TEST(Selftest, NoticesASlowChoiceForBf16) {
  const auto sets = usable_instruction_sets();
  EXPECT_TRUE(check_choice_for_bf16(sets, choose_instruction_set("auto", Products::kBf16)).passed());
  if (sets.size() == 1) GTEST_SKIP() << "this machine has one instruction set";
  EXPECT_FALSE(check_choice_for_bf16(sets, InstructionSet::kPortable).passed());
}

TEST(Selftest, RefusesWhatDoesNotExist) {
  const auto run = [](SelftestOptions options) {
    static_cast<void>(run_selftest(options, [](const SelftestCheck&) {}));
  };
  EXPECT_THROW(run({.device = "cpu", .precisions = {"fp64"}}), UsageError);
  EXPECT_THROW(run({.device = "cpu", .precisions = {"fp16", "fp8"}}), UsageError);
  EXPECT_THROW(run({.device = "tpu", .precisions = {}}), UsageError);
  EXPECT_THROW(run({.device = "cpu", .precisions = {}, .instruction_set = "mmx"}), UsageError);
  EXPECT_THROW(run({.device = "cuda:99", .precisions = {}}), Error);
}

}  // namespace
}  // namespace p2mpp
