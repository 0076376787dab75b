#include "geometry/shape_scores.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace p2mpp {

double f1_score(double precision, double recall) {
  return precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
}

double distance_of_90_percent(std::vector<WeightedValue> distances) {
  constexpr double kShare = 0.9;
  std::ranges::sort(distances, {}, &WeightedValue::value);
  const std::size_t count = std::transform_reduce(distances.begin(), distances.end(), std::size_t{0}, std::plus{},
                                                  [](const WeightedValue& each) { return each.count; });
  const double place = kShare * static_cast<double>(count - 1);
  const auto rank = static_cast<std::size_t>(place);
  auto at = distances.begin();
  std::size_t passed = at->count;  // ranks below it have been reached
  while (passed <= rank) passed += (++at)->count;
  const auto next = passed > rank + 1 || std::next(at) == distances.end() ? at : std::next(at);
  return std::lerp(at->value, next->value, place - static_cast<double>(rank));
}

}  // namespace p2mpp
