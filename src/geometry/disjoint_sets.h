#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace p2mpp {

/// A partition of 0..count-1 into sets that can be united (union-find with path halving).
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) {
    parent_.reserve(count);
    for (std::size_t item = 0; item < count; ++item) parent_.push_back(item);
  }

  std::size_t find(std::size_t item) {
    while (parent_[item] != item) {
      item = std::exchange(parent_[item], parent_[parent_[item]]);
    }
    return item;
  }

  void unite(std::size_t a, std::size_t b) { parent_[find(a)] = find(b); }

  [[nodiscard]] bool is_root(std::size_t item) const { return parent_[item] == item; }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace p2mpp
