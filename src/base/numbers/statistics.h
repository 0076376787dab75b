#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

namespace p2mpp {

/// Statistics of a measured quantity, in its unit. NaN if there are too few values.
struct Statistics {
  std::size_t count = 0;
  double mean = 0;
  double standard_deviation = 0;  ///< of the sample (divided by count - 1); NaN for fewer than two values
  double min = 0, median = 0, p95 = 0, p99 = 0, max = 0;
};

[[nodiscard]] Statistics summarize(std::vector<double> values);

/// A percentile of ascending values, interpolated linearly between the two nearest ranks: rank percent/100 * (n-1) from
/// 0, as numpy.percentile does by default (Hyndman and Fan 1996, definition 7). NaN if there is no value.
[[nodiscard]] double percentile(std::span<const double> ascending, double percent);

[[nodiscard]] nlohmann::ordered_json to_json(const Statistics& statistics);

}  // namespace p2mpp
