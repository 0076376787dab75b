#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace p2mpp {

/// The median of values: of an even number, the larger of the middle two. Precondition: there is a value.
template <typename Value>
[[nodiscard]] Value upper_median(std::vector<Value> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace p2mpp
