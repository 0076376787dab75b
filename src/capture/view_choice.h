#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace p2mpp {

/// The properties of a photograph on which the choice of views depends.
struct ViewCandidate {
  std::string name;
  bool usable = true;                                ///< it has a silhouette that does not contradict the others
  Eigen::Vector3d camera = Eigen::Vector3d::Zero();  ///< its centre in the world
  double border_share = 0;                           ///< of the photograph's border that the mask takes
  double sharpness = 0;                              ///< relative values
  double extent = 0;                                 ///< pixels of the longer side of the mask's box
  std::uint64_t pixels = 0;                          ///< hash of all pixels
};

/// Pairs (first, second) of photographs of one view, first < second: the same pixels, or cameras whose centres are
/// within half a percent of their distance from the object and half a degree.
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> duplicate_views(
    std::span<const ViewCandidate> candidates);

/// The `count` best views: in directions far from each other, 15 to 40 degrees above the horizon, not cut by the
/// border, sharp, and large enough. The best view comes first, because it defines the network's frame. The others
/// follow in order of their index. Fewer views if fewer are usable and different. Deterministic. Greedy choice, then
/// improved by exchanging views.
[[nodiscard]] std::vector<std::size_t> choose_views(std::span<const ViewCandidate> candidates, std::size_t count);

}  // namespace p2mpp
