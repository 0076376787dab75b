#include "fit/self_intersections.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "base/stop_token.h"
#include "geometry/triangle_intersection.h"

namespace p2mpp {
namespace {

using Index = std::uint32_t;

bool boxes_meet(const Eigen::Vector3f& low_a, const Eigen::Vector3f& high_a, const Eigen::Vector3f& low_b,
                const Eigen::Vector3f& high_b) {
  return (low_a.array() <= high_b.array()).all() && (low_b.array() <= high_a.array()).all();
}

/// Triangles with the same corners, in any order. They are listed one after the other.
struct EqualTriangles {
  Index first = 0, count = 0;
  TriangleCorners corners;
};

using SortedCorners = std::array<std::array<float, 3>, 3>;

SortedCorners sorted_corners(std::span<const Eigen::Vector3f> vertices, const Triangle& triangle) {
  SortedCorners corners;
  for (std::size_t k = 0; k < 3; ++k) {
    const Eigen::Vector3f& at = vertices[static_cast<std::size_t>(triangle[k])];
    corners[k] = {at.x(), at.y(), at.z()};
  }
  std::ranges::sort(corners);
  return corners;
}

std::uint64_t hash_of(const SortedCorners& corners) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const auto& corner : corners) {
    for (const float value : corner) {
      hash = (hash ^ std::bit_cast<std::uint32_t>(value + 0.0F)) * 0x100000001b3;  // the sum turns -0 into 0
      hash ^= hash >> 29;
    }
  }
  return hash;
}

/// A hierarchy of boxes over groups of equal triangles. Each node halves its groups at the median along its longest
/// axis, so that one triangle far away costs nothing.
class BoxHierarchy {
 public:
  struct Node {
    Eigen::Vector3f low = Eigen::Vector3f::Constant(std::numeric_limits<float>::infinity()), high = -low;
    Index first = 0, count = 0;  // of the items
    Index right = 0;             // the left child follows its parent; 0: a leaf
  };

  struct Item {
    Eigen::Vector3f middle;  ///< of the group's box, twice
    Index group;
  };

  explicit BoxHierarchy(std::span<const EqualTriangles> groups) : groups_(groups) {
    items_.reserve(groups.size());
    for (const EqualTriangles& each : groups) {
      items_.push_back({each.corners.low + each.corners.high, static_cast<Index>(items_.size())});
    }
    nodes_.reserve(groups.size());
    build(0, static_cast<Index>(groups.size()));
  }

  [[nodiscard]] const Node& node(Index i) const { return nodes_[i]; }
  [[nodiscard]] std::span<const Item> items_of(const Node& node) const {
    return std::span(items_).subspan(node.first, node.count);
  }

 private:
  static constexpr Index kMostInLeaf = 4;

  void build(Index first, Index count) {
    const auto own = static_cast<Index>(nodes_.size());
    nodes_.push_back({.first = first, .count = count});
    if (count <= kMostInLeaf) {
      for (const Item& item : items_of(nodes_[own])) {
        const TriangleCorners& corners = groups_[item.group].corners;
        enclose(own, corners.low, corners.high);
      }
      return;
    }
    end_if_stopped();
    const int axis = longest_axis(items_of(nodes_[own]));
    const Index half = count / 2;
    const auto begin = items_.begin() + first;
    std::nth_element(begin, begin + half, begin + count, [axis](const Item& a, const Item& b) {
      const float at_a = a.middle[axis], at_b = b.middle[axis];
      return at_a < at_b || (at_a == at_b && a.group < b.group);
    });
    build(first, half);
    const auto right = static_cast<Index>(nodes_.size());
    nodes_[own].right = right;
    build(first + half, count - half);
    for (const Index child : {own + 1, right}) enclose(own, nodes_[child].low, nodes_[child].high);
  }

  void enclose(Index node, const Eigen::Vector3f& low, const Eigen::Vector3f& high) {
    nodes_[node].low = nodes_[node].low.cwiseMin(low);
    nodes_[node].high = nodes_[node].high.cwiseMax(high);
  }

  [[nodiscard]] static int longest_axis(std::span<const Item> items) {
    Eigen::Vector3f low = items.front().middle, high = low;
    for (const Item& item : items) {
      low = low.cwiseMin(item.middle);
      high = high.cwiseMax(item.middle);
    }
    int axis = 0;
    (high - low).maxCoeff(&axis);
    return axis;
  }

  std::span<const EqualTriangles> groups_;
  std::vector<Item> items_;
  std::vector<Node> nodes_;
};

class IntersectionSearch {
 public:
  IntersectionSearch(std::span<const Eigen::Vector3f> vertices, std::span<const Triangle> triangles,
                     std::size_t most_pairs)
      : triangles_(triangles), intersects_(triangles.size()), pairs_left_(most_pairs) {
    group(vertices);
  }

  SelfIntersections run() {
    const BoxHierarchy hierarchy(groups_);
    within(hierarchy, 0);
    SelfIntersections found;
    for (std::size_t i = 0; i < intersects_.size(); ++i) {
      if (intersects_[i] != 0) found.triangles.push_back(static_cast<std::int32_t>(i));
    }
    found.is_complete = pairs_left_ > 0;
    return found;
  }

 private:
  void group(std::span<const Eigen::Vector3f> vertices) {
    constexpr Index kFree = ~Index{0};
    std::vector<Index> slots(2 * std::bit_ceil(triangles_.size()), kFree);  // groups, by hash
    std::vector<Index> of_triangle, leaders;                                // leaders: a group's first triangle
    std::vector<std::uint64_t> hashes;                                      // of groups
    of_triangle.reserve(triangles_.size());
    groups_.reserve(triangles_.size());
    for (const Triangle& triangle : triangles_) {
      const SortedCorners corners = sorted_corners(vertices, triangle);
      const std::uint64_t hash = hash_of(corners);
      const auto is_its_group = [&](Index group) {
        return hashes[group] == hash && sorted_corners(vertices, triangles_[leaders[group]]) == corners;
      };
      std::size_t slot = hash & (slots.size() - 1);
      while (slots[slot] != kFree && !is_its_group(slots[slot])) slot = (slot + 1) & (slots.size() - 1);
      if (slots[slot] == kFree) {
        slots[slot] = static_cast<Index>(groups_.size());
        groups_.push_back({0, 0, TriangleCorners(vertices, triangle)});
        leaders.push_back(static_cast<Index>(of_triangle.size()));
        hashes.push_back(hash);
      }
      of_triangle.push_back(slots[slot]);
      ++groups_[slots[slot]].count;
    }
    std::vector<Index> next;  // of each group: where its next triangle is listed
    Index first = 0;
    for (EqualTriangles& each : groups_) {
      next.push_back(each.first = first);
      first += each.count;
    }
    members_.resize(triangles_.size());
    for (std::size_t i = 0; i < triangles_.size(); ++i) members_[next[of_triangle[i]]++] = static_cast<Index>(i);
  }

  // Whether there may be another pair.
  bool count_pair() {
    if (pairs_left_ == 0) return false;
    if (--pairs_left_ % 65'536 == 0) end_if_stopped();
    return pairs_left_ > 0;
  }

  void within(const BoxHierarchy& boxes, Index i) {
    const BoxHierarchy::Node& node = boxes.node(i);
    if (node.right != 0) {
      within(boxes, i + 1);
      within(boxes, node.right);
      return between(boxes, i + 1, node.right);
    }
    const std::span<const BoxHierarchy::Item> items = boxes.items_of(node);
    for (std::size_t a = 0; a < items.size(); ++a) {
      for (std::size_t b = a + 1; b < items.size(); ++b) test(items[a].group, items[b].group);
    }
  }

  void between(const BoxHierarchy& boxes, Index i, Index j) {
    const BoxHierarchy::Node &a = boxes.node(i), &b = boxes.node(j);
    if (!count_pair() || !boxes_meet(a.low, a.high, b.low, b.high)) return;
    if (a.right == 0 && b.right == 0) {
      for (const BoxHierarchy::Item& first : boxes.items_of(a)) {
        for (const BoxHierarchy::Item& second : boxes.items_of(b)) test(first.group, second.group);
      }
    } else if (b.right == 0 || (a.right != 0 && a.count >= b.count)) {
      between(boxes, i + 1, j);
      between(boxes, a.right, j);
    } else {
      between(boxes, i, j + 1);
      between(boxes, i, b.right);
    }
  }

  void test(Index first, Index second) {
    // The order of the triangles' numbers, on which the last bit of the test may depend.
    const EqualTriangles &a = groups_[std::min(first, second)], &b = groups_[std::max(first, second)];
    if (!count_pair() || !boxes_meet(a.corners.low, a.corners.high, b.corners.low, b.corners.high)) return;
    if (a.count == 1 && b.count == 1 && is_marked(a, 0) && is_marked(b, 0)) return;
    if (a.count == 1 && b.count == 1 && share(a, 0, b, 0)) return;
    if (!intersect(a.corners, b.corners)) return;
    mark(a, b);
    mark(b, a);
  }

  // Marks the triangles of one group that share no vertex with one of the other group.
  void mark(const EqualTriangles& group, const EqualTriangles& other) {
    for (Index i = 0; i < group.count; ++i) {
      for (Index j = 0; j < other.count && !is_marked(group, i) && count_pair(); ++j) {
        if (!share(group, i, other, j)) intersects_[members_[group.first + i]] = 1;
      }
    }
  }

  [[nodiscard]] bool is_marked(const EqualTriangles& group, Index i) const {
    return intersects_[members_[group.first + i]] != 0;
  }
  [[nodiscard]] bool share(const EqualTriangles& a, Index i, const EqualTriangles& b, Index j) const {
    return share_vertex(triangles_[members_[a.first + i]], triangles_[members_[b.first + j]]);
  }

  std::span<const Triangle> triangles_;
  std::vector<Index> members_;          // triangles, by group
  std::vector<EqualTriangles> groups_;  // in the order of their first triangles
  std::vector<std::uint8_t> intersects_;
  std::size_t pairs_left_;
};

}  // namespace

SelfIntersections find_self_intersections(std::span<const Eigen::Vector3f> vertices,
                                          std::span<const Triangle> triangles, std::size_t most_pairs) {
  if (triangles.empty()) return {};
  return IntersectionSearch(vertices, triangles, most_pairs).run();
}

std::size_t count_intersecting(std::span<const Eigen::Vector3f> vertices, std::span<const Triangle> triangles) {
  return find_self_intersections(vertices, triangles).triangles.size();
}

}  // namespace p2mpp
