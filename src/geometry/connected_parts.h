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
    return members_where(is_wanted, [](std::size_t wanted) { return wanted == 0; });
  }

  /// The members of the parts that have fewer than `least`.
  [[nodiscard]] std::vector<std::size_t> smaller_than(std::size_t least) {
    return members_where([](std::size_t /*member*/) { return true; }, [&](std::size_t size) { return size < least; });
  }

 private:
  /// The members of the parts of whose members so many are counted.
  template <class IsCounted, class IsNumber>
  [[nodiscard]] std::vector<std::size_t> members_where(const IsCounted& is_counted, const IsNumber& is_number) {
    std::vector<std::size_t> numbers(count_);  // of a part's root
    for (const std::size_t i : members_) numbers[parts_.find(i)] += is_counted(i) ? 1 : 0;
    std::vector<std::size_t> found;
    for (const std::size_t i : members_) {
      if (is_number(numbers[parts_.find(i)])) found.push_back(i);
    }
    return found;
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
