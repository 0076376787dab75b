#pragma once

#include <cstddef>
#include <vector>

namespace p2mpp {

/// Harmonic mean of precision and recall; 0 if both are 0.
[[nodiscard]] double f1_score(double precision, double recall);

/// A value and the number of points that have it.
struct WeightedValue {
  double value = 0;
  std::size_t count = 1;
};

/// The 0.9 quantile of the distances, with numpy.quantile's interpolation between ranks. Precondition: not empty.
[[nodiscard]] double distance_of_90_percent(std::vector<WeightedValue> distances);

}  // namespace p2mpp
