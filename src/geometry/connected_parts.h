#pragma once

#include <cstddef>
#include <vector>

#include "geometry/disjoint_sets.h"

namespace p2mpp {

/// The members of 0..count-1 whose connected part has no wanted member. for_each_before(i, visit): calls visit(j) for
/// the neighbours of i with j < i, members or not.
template <class IsMember, class ForEachBefore, class IsWanted>
[[nodiscard]] std::vector<std::size_t> parts_without(std::size_t count, const IsMember& is_member,
                                                     const ForEachBefore& for_each_before, const IsWanted& is_wanted) {
  DisjointSets parts(count);
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_member(i)) continue;
    members.push_back(i);
    for_each_before(i, [&](std::size_t other) {
      if (is_member(other)) parts.unite(i, other);
    });
  }
  std::vector<bool> is_kept(count);  // of a part's root
  for (const std::size_t i : members) {
    if (is_wanted(i)) is_kept[parts.find(i)] = true;
  }
  std::erase_if(members, [&](std::size_t i) { return is_kept[parts.find(i)]; });
  return members;
}

}  // namespace p2mpp
