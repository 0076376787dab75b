#include "backends/common/finding.h"

#include <gtest/gtest.h>

#include <cmath>

namespace p2mpp {
namespace {

using Expected = std::vector<double>;

TEST(Finding, IsTheLargestDifferenceInPartsOfTheLargestValue) {
  const std::vector<float> found = {1, -4.5F, 2};
  EXPECT_DOUBLE_EQ(relative_difference(found, Expected{1, -4, 2}), 0.125);
  EXPECT_EQ(relative_difference(found, found), 0);
  EXPECT_DOUBLE_EQ(mean_relative_difference(found, Expected{1, -4, 2}), 0.125 / 3);
  EXPECT_TRUE(std::isinf(mean_relative_difference(std::vector<float>{1, NAN}, Expected{1, 1})));
  EXPECT_TRUE(std::isinf(relative_difference(found, Expected{1, -4}))) << "another count";
  EXPECT_TRUE(std::isinf(relative_difference(std::vector<float>{NAN}, Expected{1})));
  EXPECT_TRUE(std::isinf(relative_difference(std::vector<float>{INFINITY}, Expected{1})));
}

TEST(Finding, SaysInOneLineWhatDiffersByHowMuch) {
  const Finding good{.what = "convolution, bf16", .error = 0.001, .tolerance = 0.01};
  const Finding far_off{.what = "projection", .error = 0.3125, .tolerance = 0.0002};
  const Finding nonsense{.what = "coordinates", .error = INFINITY, .tolerance = 1e-5};
  const Finding missing{.what = "preprocess", .error = INFINITY, .tolerance = 0, .problem = "CUDA: no kernel image"};
  EXPECT_EQ(first_failure(std::vector{good}), nullptr);
  const std::vector<Finding> all = {good, far_off, nonsense};
  ASSERT_EQ(first_failure(all), &all[1]);
  EXPECT_EQ(describe_failure(far_off), "projection, differs by 0.31 of the largest value (at most 0.0002 is expected)");
  EXPECT_EQ(describe_failure(nonsense), "coordinates, gives values that are not numbers");
  EXPECT_EQ(describe_failure(missing), "preprocess: CUDA: no kernel image");
}

}  // namespace
}  // namespace p2mpp
