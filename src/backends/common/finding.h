#pragma once

#include <span>
#include <string>
#include <vector>

#include "p2mpp/error.h"

namespace p2mpp {

/// A device computes wrong results, so none of its results can be trusted.
class SelfCheckFailed : public Error {
 public:
  using Error::Error;
};

/// The error of a computed result relative to its expected value.
struct Finding {
  std::string what;       ///< "convolution, bf16"
  double error = 0;       ///< largest difference divided by the largest expected value; infinite for NaN
  double tolerance = 0;   ///< largest error that passes
  std::string problem{};  ///< why the check could not run (one clause); `error` is then infinite

  [[nodiscard]] bool passed() const { return error <= tolerance; }
};

/// The largest difference divided by the largest expected value. Infinite if a value found is NaN or the sizes differ.
[[nodiscard]] double relative_difference(std::span<const float> found, std::span<const double> expected);
[[nodiscard]] double relative_difference(std::span<const float> found, std::span<const float> expected);

/// The mean difference divided by the largest expected value.
[[nodiscard]] double mean_relative_difference(std::span<const float> found, std::span<const double> expected);

/// "convolution, bf16, differs by 0.31 of the largest value (at most 0.02 is expected)"
[[nodiscard]] std::string describe_failure(const Finding& finding);

/// The first finding that did not pass; null if all passed.
[[nodiscard]] const Finding* first_failure(std::span<const Finding> findings);

}  // namespace p2mpp
