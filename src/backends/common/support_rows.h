#pragma once

#include <cstdint>

namespace p2mpp {

/// A view of sparse rows: row r sums weight[i] * x[column[i]] for i in [first[r], first[r + 1]).
struct SupportRows {
  const std::int32_t* first;
  const std::int32_t* column;
  const float* weight;
};

}  // namespace p2mpp
