#pragma once

#include <memory>
#include <string_view>

#include "p2mpp/metrics.h"

namespace p2mpp {

using PointSpan = std::span<const Eigen::Vector3f>;

/// Throws InputError unless there is a point and all are finite. `name` is the set's name in the message ("predicted").
void check_points(std::string_view name, PointSpan points);

struct Neighbour {
  double squared_distance = 0;
  std::uint32_t index = 0;
};

/// Exact nearest-neighbour search. Precondition: at least one target, and all are finite. Thread-safe.
class NeighbourSearch {
 public:
  explicit NeighbourSearch(PointSpan targets);
  NeighbourSearch(NeighbourSearch&&) noexcept;
  NeighbourSearch& operator=(NeighbourSearch&&) noexcept;
  ~NeighbourSearch();

  [[nodiscard]] Neighbour nearest(const Eigen::Vector3f& query) const;
  [[nodiscard]] Neighbours nearest(PointSpan queries, int threads) const;

 private:
  struct Tree;
  std::unique_ptr<Tree> tree_;
};

}  // namespace p2mpp
