#pragma once

#include <span>
#include <string>
#include <vector>

#include "p2mpp/error.h"

namespace p2mpp {

/// A device computes something else than it should: its results are not to be had, whatever it is asked for.
class SelfCheckFailed : public Error {
 public:
  using Error::Error;
};

/// How far something that was computed is from what it should be.
struct Finding {
  std::string what;       ///< "convolution, bf16"
  double error = 0;       ///< the largest difference, in parts of the largest value expected; infinite for a NaN
  double tolerance = 0;   ///< the largest error that passes
  std::string problem{};  ///< why nothing could be computed (one clause); `error` is infinite then

  [[nodiscard]] bool passed() const { return error <= tolerance; }
};

/// The largest difference in parts of the largest value expected. Infinite where something found is not a number, or
/// where their counts differ.
[[nodiscard]] double relative_difference(std::span<const float> found, std::span<const double> expected);
[[nodiscard]] double relative_difference(std::span<const float> found, std::span<const float> expected);

/// The mean difference, likewise.
[[nodiscard]] double mean_relative_difference(std::span<const float> found, std::span<const double> expected);

/// "convolution, bf16, differs by 0.31 of the largest value (at most 0.02 is expected)"
[[nodiscard]] std::string describe_failure(const Finding& finding);

/// The first that did not pass; null where all did.
[[nodiscard]] const Finding* first_failure(std::span<const Finding> findings);

}  // namespace p2mpp
