#include "fit/self_intersections.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <utility>

#include "base/parallel.h"
#include "base/thread_scopes.h"
#include "geometry/intersection/triangle_intersection.h"

namespace p2mpp {
namespace {

using Index = std::uint32_t;

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

std::uint64_t hash_corners(const SortedCorners& corners) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const auto& corner : corners) {
    for (const float value : corner) {
      hash = (hash ^ std::bit_cast<std::uint32_t>(value + 0.0F)) * 0x100000001b3;  // the sum turns -0 into 0
      hash ^= hash >> 29;
    }
  }
  return hash;
}

/// A hierarchy of boxes over triangles. Each node halves its triangles at the median along its longest axis, so that
/// one triangle far away costs nothing.
class BoxHierarchy {
 public:
  struct TreeNode {
    Eigen::AlignedBox3f box;
    Index first = 0, count = 0;  // of the items
    Index right = 0;             // the left child follows its parent; 0: a leaf
  };

  struct TreeItem {
    Eigen::Vector3f middle;  ///< of the triangle's box, twice
    Index triangle;
  };

  explicit BoxHierarchy(std::span<const TriangleCorners> triangles) : triangles_(triangles) {
    items_.reserve(triangles.size());
    for (const TriangleCorners& each : triangles) {
      items_.push_back({each.box.min() + each.box.max(), static_cast<Index>(items_.size())});
    }
    nodes_.reserve(triangles.size());
    build(0, static_cast<Index>(triangles.size()));
  }

  [[nodiscard]] const TreeNode& node(Index i) const { return nodes_[i]; }
  [[nodiscard]] std::span<const TreeItem> list_items(const TreeNode& node) const {
    return std::span(items_).subspan(node.first, node.count);
  }

 private:
  static constexpr Index kMostInLeaf = 4;

  void build(Index first, Index count) {
    const auto own = static_cast<Index>(nodes_.size());
    nodes_.push_back({.box = {}, .first = first, .count = count});
    if (count <= kMostInLeaf) {
      for (const TreeItem& item : list_items(nodes_[own])) nodes_[own].box.extend(triangles_[item.triangle].box);
      return;
    }
    end_if_stopped();
    const int axis = longest_axis(list_items(nodes_[own]));
    const Index half = count / 2;
    const auto begin = items_.begin() + first;
    std::nth_element(begin, begin + half, begin + count, [axis](const TreeItem& a, const TreeItem& b) {
      const float at_a = a.middle[axis], at_b = b.middle[axis];
      return at_a < at_b || (at_a == at_b && a.triangle < b.triangle);
    });
    build(first, half);
    const auto right = static_cast<Index>(nodes_.size());
    nodes_[own].right = right;
    build(first + half, count - half);
    nodes_[own].box = nodes_[own + 1].box.merged(nodes_[right].box);
  }

  [[nodiscard]] static int longest_axis(std::span<const TreeItem> items) {
    Eigen::AlignedBox3f box;
    for (const TreeItem& item : items) box.extend(item.middle);
    int axis = 0;
    box.sizes().maxCoeff(&axis);
    return axis;
  }

  std::span<const TriangleCorners> triangles_;
  std::vector<TreeItem> items_;
  std::vector<TreeNode> nodes_;
};

/// The pairs that may still be looked at. Thread-safe.
class PairBudget {
 public:
  explicit PairBudget(std::size_t most) : left_(most) {}

  /// Takes some pairs, or none if none are left.
  std::size_t take() {
    constexpr std::size_t kTogether = 65'536;
    std::size_t left = left_, taken = 0;
    do {
      taken = std::min(left, kTogether);
    } while (!left_.compare_exchange_weak(left, left - taken));
    if (taken == 0) was_exceeded_ = true;
    return taken;
  }
  void give_back(std::size_t pairs) { left_ += pairs; }
  [[nodiscard]] bool was_exceeded() const { return was_exceeded_; }

 private:
  std::atomic<std::size_t> left_;
  std::atomic<bool> was_exceeded_ = false;
};

/// The triangles without those that have the same corners as others, in any order. raise() is thread-safe.
class DistinctTriangles {
 public:
  DistinctTriangles(std::span<const Eigen::Vector3f> vertices, std::span<const Triangle> triangles, float margin) {
    constexpr Index kFree = ~Index{0};
    std::vector<Index> slots(2 * std::bit_ceil(triangles.size()), kFree);  // distinct triangles, by hash
    std::vector<Index> leaders;                                            // of each: the first that is like it
    std::vector<std::uint64_t> hashes;
    of_triangles_.reserve(triangles.size());
    corners_.reserve(triangles.size());
    for (const Triangle& triangle : triangles) {
      const SortedCorners corners = sorted_corners(vertices, triangle);
      const std::uint64_t hash = hash_corners(corners);
      const auto is_it = [&](Index known) {
        return hashes[known] == hash && sorted_corners(vertices, triangles[leaders[known]]) == corners;
      };
      std::size_t slot = hash & (slots.size() - 1);
      while (slots[slot] != kFree && !is_it(slots[slot])) slot = (slot + 1) & (slots.size() - 1);
      if (slots[slot] == kFree) {
        slots[slot] = static_cast<Index>(corners_.size());
        corners_.emplace_back(vertices, triangle, margin);
        leaders.push_back(static_cast<Index>(of_triangles_.size()));
        hashes.push_back(hash);
      }
      of_triangles_.push_back(slots[slot]);
    }
    contacts_.resize(corners_.size());
  }

  [[nodiscard]] std::span<const TriangleCorners> corners() const { return corners_; }

  [[nodiscard]] Contact contact(Index i) { return std::atomic_ref(contacts_[i]).load(std::memory_order_relaxed); }
  void raise(Index i, Contact contact) {
    const std::atomic_ref known(contacts_[i]);
    Contact before = known.load(std::memory_order_relaxed);
    while (before < contact && !known.compare_exchange_weak(before, contact, std::memory_order_relaxed)) {
    }
  }
  void forget_contacts() { std::ranges::fill(contacts_, Contact::kNone); }

  /// Of all triangles.
  [[nodiscard]] std::vector<Contact> contacts() const {
    std::vector<Contact> found;
    found.reserve(of_triangles_.size());
    for (const Index i : of_triangles_) found.push_back(contacts_[i]);
    return found;
  }

 private:
  std::vector<Index> of_triangles_;       // the distinct triangle that each is like
  std::vector<TriangleCorners> corners_;  // of the distinct triangles, in the order of the first that are like them
  std::vector<Contact> contacts_;         // of the distinct triangles
};

/// The pairs of two nodes' triangles, or those of one node's. Not thread-safe: each thread has its own.
class PairWalk {
 public:
  PairWalk(const BoxHierarchy& boxes, DistinctTriangles& triangles, float margin, PairBudget& budget)
      : boxes_(boxes), triangles_(triangles), margin_(margin), budget_(budget) {}
  ~PairWalk() { budget_.give_back(left_); }
  PairWalk(const PairWalk&) = delete;
  PairWalk& operator=(const PairWalk&) = delete;

  void within(Index i) {
    const BoxHierarchy::TreeNode& node = boxes_.node(i);
    if (node.right != 0) {
      within(i + 1);
      within(node.right);
      return between(i + 1, node.right);
    }
    const std::span<const BoxHierarchy::TreeItem> items = boxes_.list_items(node);
    for (std::size_t a = 0; a < items.size(); ++a) {
      for (std::size_t b = a + 1; b < items.size(); ++b) test(items[a].triangle, items[b].triangle);
    }
  }

  void between(Index i, Index j) {
    const BoxHierarchy::TreeNode &a = boxes_.node(i), &b = boxes_.node(j);
    if (!count_pair() || !a.box.intersects(b.box)) return;
    if (a.right == 0 && b.right == 0) {
      for (const BoxHierarchy::TreeItem& first : boxes_.list_items(a)) {
        for (const BoxHierarchy::TreeItem& second : boxes_.list_items(b)) test(first.triangle, second.triangle);
      }
    } else if (b.right == 0 || (a.right != 0 && a.count >= b.count)) {
      between(i + 1, j);
      between(a.right, j);
    } else {
      between(i, j + 1);
      between(i, b.right);
    }
  }

 private:
  // Whether another pair may be looked at.
  bool count_pair() {
    if (left_ == 0) {
      end_if_stopped();
      left_ = budget_.take();
      if (left_ == 0) return false;
    }
    --left_;
    return true;
  }

  void test(Index first, Index second) {
    const TriangleCorners &a = triangles_.corners()[first], &b = triangles_.corners()[second];
    if (!count_pair() || !a.box.intersects(b.box)) return;
    if (std::min(triangles_.contact(first), triangles_.contact(second)) == Contact::kIntersecting) return;
    // Files split vertices at seams: corners are one if they are at one place.
    const SharedCorners shared = shared_corners([&](std::size_t i, std::size_t j) { return a.at[i] == b.at[j]; });
    if (margin_ > 0 && !are_close(a, b, shared, margin_)) return;
    const Contact contact = intersect(a, b, shared) ? Contact::kIntersecting
                            : margin_ > 0           ? Contact::kClose
                                                    : Contact::kNone;
    triangles_.raise(first, contact);
    triangles_.raise(second, contact);
  }

  const BoxHierarchy& boxes_;
  DistinctTriangles& triangles_;
  const float margin_;
  PairBudget& budget_;
  std::size_t left_ = 0;  // pairs that were taken from the budget
};

/// Pairs of nodes, or a node twice, that together are all of the hierarchy's pairs.
std::vector<std::pair<Index, Index>> parts_of(const BoxHierarchy& boxes, Index triangles) {
  constexpr Index kParts = 64, kFewest = 1024;
  const Index most = std::max(kFewest, triangles / kParts);
  std::vector<std::pair<Index, Index>> parts, open = {{0, 0}};
  while (!open.empty()) {
    const auto [i, j] = open.back();
    open.pop_back();
    const BoxHierarchy::TreeNode& node = boxes.node(i);
    if (i != j || node.right == 0 || node.count <= most) {
      parts.emplace_back(i, j);
    } else {
      open.insert(open.end(), {{i + 1, node.right}, {node.right, node.right}, {i + 1, i + 1}});
    }
  }
  return parts;
}

}  // namespace

Contacts find_contacts(std::span<const Eigen::Vector3f> vertices, std::span<const Triangle> triangles, float margin,
                       int threads, std::size_t most_pairs) {
  if (triangles.empty()) return {{}, margin};
  DistinctTriangles distinct(vertices, triangles, margin);
  const BoxHierarchy boxes(distinct.corners());
  if (threads > 1) {
    PairBudget budget(most_pairs);
    const auto parts = parts_of(boxes, static_cast<Index>(distinct.corners().size()));
    for_each_task(parts.size(), threads, [&](std::size_t k) {
      PairWalk walk(boxes, distinct, margin, budget);
      const auto [i, j] = parts[k];
      if (i == j) {
        walk.within(i);
      } else {
        walk.between(i, j);
      }
    });
    if (!budget.was_exceeded()) return {distinct.contacts(), margin};
    distinct.forget_contacts();  // in one thread, the same ones are found each time
  }
  PairBudget budget(most_pairs);
  PairWalk(boxes, distinct, margin, budget).within(0);
  return {distinct.contacts(), margin, !budget.was_exceeded()};
}

SelfIntersections find_self_intersections(std::span<const Eigen::Vector3f> vertices,
                                          std::span<const Triangle> triangles, int threads, std::size_t most_pairs) {
  const Contacts contacts = find_contacts(vertices, triangles, 0, threads, most_pairs);
  SelfIntersections found{{}, contacts.is_complete};
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    if (contacts.of_triangles[i] == Contact::kIntersecting) found.triangles.push_back(static_cast<std::int32_t>(i));
  }
  return found;
}

std::size_t count_intersecting(std::span<const Eigen::Vector3f> vertices, std::span<const Triangle> triangles,
                               int threads) {
  return find_self_intersections(vertices, triangles, threads).triangles.size();
}

}  // namespace p2mpp
