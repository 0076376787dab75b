#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "backends/golden_data.h"

namespace p2mpp {

/// Of two arrays' elements, or of two clouds' coordinates.
struct Difference {
  double mean = 0;
  double largest = 0;  ///< infinite where one is NaN
};

inline Difference difference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  Difference result;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const double here = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    result.mean += here / static_cast<double>(a.size());
    result.largest = std::max(result.largest, std::isnan(here) ? INFINITY : here);
  }
  return result;
}

inline Difference difference(const Points& a, const Points& b) { return difference(flat(a), flat(b)); }

}  // namespace p2mpp
