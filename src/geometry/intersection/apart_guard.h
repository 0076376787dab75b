#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "geometry/corner_table.h"
#include "geometry/intersection/triangle_buckets.h"
#include "geometry/intersection/triangle_intersection.h"

namespace p2mpp {

/// Tells whether a change of a surface would let triangles intersect, or come so close that rounding may. It looks at
/// the table and the positions at each question, and knows the places of triangles from its last sort_by_place().
class ApartGuard {
 public:
  /// Both must outlive the guard. The margin is that of the positions now.
  ApartGuard(const CornerTable& table, const Points& positions)
      : table_(table), positions_(positions), margin_(rounding_margin(positions)) {}

  /// Sorts all triangles into cubes of a side of about `length`.
  void sort_by_place(float length) {
    sort_by_place(length, [&](TriangleBuckets::Box& box, std::int32_t vertex) { box.extend(at(vertex)); });
  }

  /// extend(box, vertex): by all places that a vertex may have before the next call.
  template <class Extend>
  void sort_by_place(float length, const Extend& extend) {
    std::vector<TriangleBuckets::Box> boxes(table_.half_edges() / 3);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (!table_.is_alive(3 * i)) continue;
      for (const std::int32_t vertex : triangle_of(3 * i)) extend(boxes[i], vertex);
    }
    buckets_.emplace(length, boxes);
  }

  /// After a change: the triangles around a vertex are where they are now.
  void note_place_around(std::int32_t vertex);

  /// Whether the triangles around a vertex, but those of its edge to `other`, intersect none if both move to a place.
  [[nodiscard]] bool stays_apart(std::int32_t vertex, std::int32_t other, const Eigen::Vector3f& place);

  /// The middle of an edge is rounded, so that its halves may intersect a surface that the edge touches.
  [[nodiscard]] bool stays_apart_if_split(std::size_t half_edge, const Eigen::Vector3f& middle);

  [[nodiscard]] bool stays_apart_if_flipped(std::size_t half_edge);

 private:
  /// A vertex that moves to a place, and one that becomes it; -1 for none.
  struct Move {
    std::int32_t vertex = -1, merged = -1;
    Eigen::Vector3f place = Eigen::Vector3f::Zero();
  };
  struct PlacedTriangle {
    Triangle triangle;
    TriangleCorners corners;
  };

  [[nodiscard]] const Eigen::Vector3f& at(std::int32_t vertex) const {
    return positions_[static_cast<std::size_t>(vertex)];
  }
  [[nodiscard]] Triangle triangle_of(std::size_t half_edge) const {
    return {table_.origin(half_edge), table_.target(half_edge), table_.apex(half_edge)};
  }
  [[nodiscard]] bool new_stay_apart(std::size_t half_edge);
  [[nodiscard]] bool changed_stay_apart(const Move& move, std::initializer_list<std::size_t> replaced = {});
  [[nodiscard]] bool meets_changed(Triangle triangle, const Move& move) const;
  [[nodiscard]] bool meet(const PlacedTriangle& one, const PlacedTriangle& other) const;

  const CornerTable& table_;
  const Points& positions_;
  float margin_;                            // that changes leave between triangles
  std::optional<TriangleBuckets> buckets_;  // where the triangles are, and some were
  std::vector<std::uint32_t> asked_;        // by triangle: the last question that it was compared for
  std::uint32_t question_ = 0;
  std::vector<PlacedTriangle> changed_;  // of the last question
  std::vector<std::uint32_t> nearby_;    // triangles near them
};

}  // namespace p2mpp
