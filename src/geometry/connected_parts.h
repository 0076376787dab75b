#pragma once

#include <cstddef>
#include <vector>

#include "geometry/disjoint_sets.h"

namespace p2mpp {

/// The connected parts of some of 0..count-1. for_each_before(i, visit): calls visit(j) for the neighbours of i with
/// j < i, members or not.
class ConnectedParts {
 public:
  template <class IsMember, class ForEachBefore>
  ConnectedParts(std::size_t count, const IsMember& is_member, const ForEachBefore& for_each_before)
      : count_(count), parts_(count) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_member(i)) continue;
      members_.push_back(i);
      for_each_before(i, [&](std::size_t other) {
        if (is_member(other)) parts_.unite(i, other);
      });
    }
  }

  /// The members of the parts that have no wanted member.
  template <class IsWanted>
  [[nodiscard]] std::vector<std::size_t> without(const IsWanted& is_wanted) {
    std::vector<std::size_t> wanted(count_);  // of a part's root: how many
    for (const std::size_t i : members_) wanted[parts_.find(i)] += is_wanted(i) ? 1 : 0;
    return members_in([&](std::size_t root) { return wanted[root] == 0; });
  }

  /// The members of the parts that have fewer than `least`.
  [[nodiscard]] std::vector<std::size_t> smaller_than(std::size_t least) {
    std::vector<std::size_t> sizes(count_);
    for (const std::size_t i : members_) ++sizes[parts_.find(i)];
    return members_in([&](std::size_t root) { return sizes[root] < least; });
  }

 private:
  template <class IsChosen>
  [[nodiscard]] std::vector<std::size_t> members_in(const IsChosen& is_chosen) {
    std::vector<std::size_t> chosen;
    for (const std::size_t i : members_) {
      if (is_chosen(parts_.find(i))) chosen.push_back(i);
    }
    return chosen;
  }

  std::size_t count_;
  DisjointSets parts_;
  std::vector<std::size_t> members_;
};

/// For ConnectedParts: the neighbours of a square's pixels, row by row.
struct PixelsBefore {
  std::size_t width;
  template <class Visit>
  void operator()(std::size_t pixel, const Visit& visit) const {
    if (pixel % width > 0) visit(pixel - 1);
    if (pixel >= width) visit(pixel - width);
  }
};

}  // namespace p2mpp
