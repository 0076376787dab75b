#include "fit/self_intersections.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

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
    Eigen::Vector3f low, high;
    Index first, count;  // of order()
    Index right = 0;     // the left child follows its parent; 0: a leaf
  };

  explicit BoxHierarchy(std::span<const EqualTriangles> groups) : groups_(groups), order_(groups.size()) {
    std::iota(order_.begin(), order_.end(), Index{0});
    nodes_.reserve(groups.size());
    build(0, static_cast<Index>(groups.size()));
  }

  [[nodiscard]] const Node& node(Index i) const { return nodes_[i]; }
  [[nodiscard]] std::span<const Index> groups_of(const Node& node) const {
    return std::span(order_).subspan(node.first, node.count);
  }

 private:
  static constexpr Index kMostInLeaf = 4;

  void build(Index first, Index count) {
    const auto own = static_cast<Index>(nodes_.size());
    const auto begin = order_.begin() + first;
    Node node{groups_[*begin].corners.low, groups_[*begin].corners.high, first, count};
    Eigen::Vector3f low_middle = middle(*begin), high_middle = low_middle;
    for (Index i = first; i < first + count; ++i) {
      const TriangleCorners& corners = groups_[order_[i]].corners;
      node.low = node.low.cwiseMin(corners.low);
      node.high = node.high.cwiseMax(corners.high);
      low_middle = low_middle.cwiseMin(middle(order_[i]));
      high_middle = high_middle.cwiseMax(middle(order_[i]));
    }
    nodes_.push_back(node);
    if (count <= kMostInLeaf) return;
    end_if_stopped();
    int axis = 0;
    (high_middle - low_middle).maxCoeff(&axis);
    const Index half = count / 2;
    std::nth_element(begin, begin + half, begin + count, [&](Index a, Index b) {
      const float at_a = middle(a)[axis], at_b = middle(b)[axis];
      return at_a < at_b || (at_a == at_b && a < b);
    });
    build(first, half);
    nodes_[own].right = static_cast<Index>(nodes_.size());
    build(first + half, count - half);
  }

  // Twice the middle of a group's box.
  [[nodiscard]] Eigen::Vector3f middle(Index group) const {
    return groups_[group].corners.low + groups_[group].corners.high;
  }

  std::span<const EqualTriangles> groups_;
  std::vector<Index> order_;
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
    struct Keyed {
      std::uint64_t hash;
      Index triangle;
    };
    std::vector<Keyed> keyed;
    keyed.reserve(triangles_.size());
    for (const Triangle& triangle : triangles_) {
      keyed.push_back({hash_of(sorted_corners(vertices, triangle)), static_cast<Index>(keyed.size())});
    }
    std::ranges::sort(keyed, {}, [](const Keyed& each) { return std::pair(each.hash, each.triangle); });
    for (Index i = 0; i < keyed.size(); ++i) {
      const Triangle& triangle = triangles_[keyed[i].triangle];
      members_.push_back(keyed[i].triangle);
      if (i > 0 && keyed[i].hash == keyed[i - 1].hash &&
          sorted_corners(vertices, triangle) == sorted_corners(vertices, triangles_[keyed[i - 1].triangle])) {
        ++groups_.back().count;
      } else {
        groups_.push_back({i, 1, TriangleCorners(vertices, triangle)});
      }
    }
    std::ranges::sort(groups_, {}, [this](const EqualTriangles& each) { return members_[each.first]; });
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
    const std::span<const Index> groups = boxes.groups_of(node);
    for (std::size_t a = 0; a < groups.size(); ++a) {
      for (std::size_t b = a + 1; b < groups.size(); ++b) test(groups[a], groups[b]);
    }
  }

  void between(const BoxHierarchy& boxes, Index i, Index j) {
    const BoxHierarchy::Node &a = boxes.node(i), &b = boxes.node(j);
    if (!count_pair() || !boxes_meet(a.low, a.high, b.low, b.high)) return;
    if (a.right == 0 && b.right == 0) {
      for (const Index first : boxes.groups_of(a)) {
        for (const Index second : boxes.groups_of(b)) test(first, second);
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
