#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

namespace p2mpp {

/// A measured quantity over many samples, in the unit of its values. NaN stands where the count does not allow a
/// figure.
struct Statistics {
  std::size_t count = 0;
  double mean = 0;
  double standard_deviation = 0;  ///< of a sample: divided by count - 1; NaN for fewer than two values
  double min = 0, median = 0, p95 = 0, p99 = 0, max = 0;
};

[[nodiscard]] Statistics summarize(std::vector<double> values);

/// The value below which `percent` of ascending values lie, linearly interpolated between the two nearest ranks: rank
/// percent/100 * (n-1) from 0, as numpy.percentile does by default (Hyndman and Fan 1996, definition 7). NaN for none.
[[nodiscard]] double percentile(std::span<const double> ascending, double percent);

[[nodiscard]] nlohmann::ordered_json to_json(const Statistics& statistics);

}  // namespace p2mpp
