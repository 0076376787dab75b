#include "geometry/intersection/apart_guard.h"

#include <algorithm>
#include <utility>

namespace p2mpp {

void ApartGuard::note_place_around(std::int32_t vertex) {
  table_.around(vertex, [&](std::size_t half_edge) {
    const TriangleCorners corners(positions_, triangle_of(half_edge));
    buckets_->add(static_cast<std::uint32_t>(half_edge / 3), corners.box);
  });
}

bool ApartGuard::stays_apart(std::int32_t vertex, std::int32_t other, const Eigen::Vector3f& place) {
  changed_.clear();
  table_.around(vertex, [&](std::size_t half_edge) {
    const std::int32_t b = table_.target(half_edge), c = table_.apex(half_edge);
    if (b != other && c != other) changed_.push_back({{vertex, b, c}, {place, at(b), at(c), margin_}});
  });
  return changed_stay_apart({vertex, other, place});
}

bool ApartGuard::stays_apart_if_split(std::size_t half_edge, const Eigen::Vector3f& middle) {
  const auto vertex = static_cast<std::int32_t>(table_.vertices_ever());
  changed_.clear();
  for (const std::size_t side : {half_edge, table_.opposite(half_edge)}) {
    const std::int32_t a = table_.origin(side), b = table_.target(side), c = table_.apex(side);
    changed_.push_back({{a, vertex, c}, {at(a), middle, at(c), margin_}});
    changed_.push_back({{vertex, b, c}, {middle, at(b), at(c), margin_}});
  }
  return new_stay_apart(half_edge);
}

bool ApartGuard::stays_apart_if_flipped(std::size_t half_edge) {
  const std::size_t other = table_.opposite(half_edge);
  const std::int32_t c = table_.apex(half_edge), d = table_.apex(other);
  changed_.clear();
  for (const Triangle& triangle : {Triangle{table_.origin(half_edge), d, c}, {table_.origin(other), c, d}}) {
    changed_.push_back({triangle, {positions_, triangle, margin_}});
  }
  return new_stay_apart(half_edge);
}

/// Whether changed_, which replace the triangles of an edge, intersect no triangle.
bool ApartGuard::new_stay_apart(std::size_t half_edge) {
  for (std::size_t i = 0; i < changed_.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (meet(changed_[i], changed_[k])) return false;
    }
  }
  return changed_stay_apart({}, {half_edge / 3, table_.opposite(half_edge) / 3});
}

/// Whether none of changed_ intersects a triangle but those that it replaces.
bool ApartGuard::changed_stay_apart(const Move& move, std::initializer_list<std::size_t> replaced) {
  TriangleBuckets::Box box;
  for (const PlacedTriangle& each : changed_) box.extend(each.corners.box);
  if (box.isEmpty()) return true;
  nearby_.clear();
  asked_.resize(table_.half_edges() / 3);
  ++question_;
  for (const std::size_t triangle : replaced) asked_[triangle] = question_;
  buckets_->near(box, [&](std::uint32_t listed) {
    if (std::exchange(asked_[listed], question_) != question_) nearby_.push_back(listed);
  });
  return std::ranges::none_of(nearby_, [&](std::uint32_t listed) {
    const std::size_t half_edge = 3 * static_cast<std::size_t>(listed);
    return table_.is_alive(half_edge) && meets_changed(triangle_of(half_edge), move);
  });
}

/// Whether a triangle of before a move intersects one of changed_ elsewhere than in a common vertex or edge.
bool ApartGuard::meets_changed(Triangle triangle, const Move& move) const {
  std::ranges::replace(triangle, move.merged, move.vertex);
  if (std::ranges::count(triangle, move.vertex) > 1) return false;  // it vanishes
  const auto corner = [&](std::size_t k) -> const Eigen::Vector3f& {
    return triangle[k] == move.vertex ? move.place : at(triangle[k]);
  };
  const PlacedTriangle moved{triangle, {corner(0), corner(1), corner(2)}};
  return std::ranges::any_of(changed_, [&](const PlacedTriangle& each) { return meet(each, moved); });
}

bool ApartGuard::meet(const PlacedTriangle& one, const PlacedTriangle& other) const {
  if (!one.corners.box.intersects(other.corners.box)) return false;
  const auto are_one = [&](std::size_t i, std::size_t j) { return one.triangle[i] == other.triangle[j]; };
  return are_close(one.corners, other.corners, shared_corners(are_one), margin_);
}

}  // namespace p2mpp
