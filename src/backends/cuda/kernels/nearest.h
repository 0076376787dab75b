#pragma once

#include "backends/cuda/arguments.h"
#include "backends/cuda/kernels/target.h"
#include "backends/cuda/tiling.h"

namespace p2mpp::cuda {
namespace {

/// One thread per query. Targets pass through shared memory, one tile at a time.
struct FindNearest {
  using Arguments = NearestArguments;
  static constexpr int kThreads = kBlockThreads;
  static constexpr int kBlocksAtOnce = 1;

  P2MPP_DEVICE static double squared_distance(const double (&query)[3], const float* target) {
    double sum = 0;
    P2MPP_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
      const double difference = query[axis] - static_cast<double>(target[axis]);
      sum += product_rounded(difference, difference);
    }
    return sum;
  }

  P2MPP_DEVICE static void run(const Arguments& arguments) {
    const int index = block_x() * kThreads + thread_index();
    const bool is_query = index < arguments.query_count;
    double query[3] = {0, 0, 0};
    P2MPP_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
      if (is_query) query[axis] = static_cast<double>(arguments.queries[3 * static_cast<std::size_t>(index) + axis]);
    }
    float* tile = reinterpret_cast<float*>(shared_memory());
    double nearest = 0;
    std::uint32_t found = 0;
    for (int first = 0; first < arguments.target_count; first += kThreads) {
      const int count = arguments.target_count - first < kThreads ? arguments.target_count - first : kThreads;
      for (int i = thread_index(); i < 3 * count; i += kThreads) {
        tile[i] = arguments.targets[3 * static_cast<std::size_t>(first) + i];
      }
      block_barrier();
      for (int i = 0; i < count; ++i) {
        const double distance = squared_distance(query, tile + 3 * i);
        if (distance < nearest || first + i == 0) {
          nearest = distance;
          found = static_cast<std::uint32_t>(first + i);
        }
      }
      block_barrier();
    }
    if (!is_query) return;
    arguments.squared_distances[index] = nearest;
    arguments.indices[index] = found;
  }
};

}  // namespace
}  // namespace p2mpp::cuda
