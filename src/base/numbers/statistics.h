#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/json_text.h"

namespace p2mpp {

/// Statistics of a measured quantity, in its unit. NaN if there are too few values.
struct Statistics {
  std::size_t count = 0;
  double mean = 0;
  double standard_deviation = 0;  ///< of the sample (divided by count - 1); NaN for fewer than two values
  double min = 0, median = 0, p95 = 0, p99 = 0, max = 0;
};

/// NaN if there is no value.
[[nodiscard]] double mean(std::span<const double> values);

[[nodiscard]] Statistics summarize(std::vector<double> values);

/// A percentile of ascending values, interpolated linearly between the two nearest ranks: rank percent/100 * (n-1) from
/// 0, as numpy.percentile does by default (Hyndman and Fan 1996, definition 7). NaN if there is no value.
[[nodiscard]] double percentile(std::span<const double> ascending, double percent);

[[nodiscard]] Json to_json(const Statistics& statistics);

}  // namespace p2mpp
