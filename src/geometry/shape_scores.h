#pragma once

#include <cstddef>
#include <vector>

namespace p2mpp {

/// Harmonic mean of precision and recall; 0 where both are.
[[nodiscard]] double f1_score(double precision, double recall);

/// A value that so many points have.
struct WeightedValue {
  double value = 0;
  std::size_t count = 1;
};

/// The distance within which 90% of the points lie, of at least one, with numpy.quantile's interpolation between ranks.
[[nodiscard]] double distance_of_90_percent(std::vector<WeightedValue> distances);

}  // namespace p2mpp
