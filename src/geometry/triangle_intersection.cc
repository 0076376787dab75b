#include "geometry/triangle_intersection.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <optional>

namespace p2mpp {
namespace {

struct LinePart {
  double begin = 0, end = 0;
};

/// The interval in which a triangle meets a plane, along an axis of the line that both planes share. Empty if they do
/// not meet.
std::optional<LinePart> on_line(const TriangleCorners& triangle, const std::array<double, 3>& side, int axis) {
  std::array<double, 2> found{};
  std::size_t count = 0;
  for (std::size_t k = 0; k < 3 && count < 2; ++k) {
    const std::size_t next = (k + 1) % 3;
    if ((side[k] > 0) == (side[next] > 0)) continue;
    const double share = side[k] / (side[k] - side[next]);
    const double from = triangle.at[k][axis], to = triangle.at[next][axis];
    found[count++] = from + share * (to - from);
  }
  if (count < 2) return std::nullopt;
  return LinePart{std::min(found[0], found[1]), std::max(found[0], found[1])};
}

/// Signed volumes: on which side of a's plane the corners of b lie.
std::array<double, 3> sides_of(const Eigen::Vector3d& normal, const Eigen::Vector3f& corner, const TriangleCorners& b) {
  std::array<double, 3> sides{};
  for (std::size_t k = 0; k < 3; ++k) sides[k] = normal.dot((b.at[k] - corner).cast<double>());
  return sides;
}

bool on_one_side(const std::array<double, 3>& sides) {
  return (sides[0] > 0) == (sides[1] > 0) && (sides[1] > 0) == (sides[2] > 0);
}

Eigen::Vector3d normal_of(const TriangleCorners& triangle) {
  return (triangle.at[1] - triangle.at[0]).cast<double>().cross((triangle.at[2] - triangle.at[0]).cast<double>());
}

/// Whether a line between two points passes through a triangle. If it only touches, either answer.
bool passes_through(const Eigen::Vector3f& from, const Eigen::Vector3f& to, const TriangleCorners& triangle) {
  if (!Eigen::AlignedBox3f(from.cwiseMin(to), from.cwiseMax(to)).intersects(triangle.box)) return false;
  const Eigen::Vector3d start = from.cast<double>(), way = to.cast<double>() - start;
  std::array<Eigen::Vector3d, 3> corners;
  for (std::size_t k = 0; k < 3; ++k) corners[k] = triangle.at[k].cast<double>() - start;
  const Eigen::Vector3d normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
  const double begin = -normal.dot(corners[0]), end = normal.dot(way - corners[0]);
  if ((begin > 0) == (end > 0)) return false;
  const auto side = [&](std::size_t k) { return way.dot(corners[k].cross(corners[(k + 1) % 3])) > 0; };
  return side(0) == side(1) && side(1) == side(2);
}

/// Two groups of corners along the way between their middles, from a point.
struct Projections {
  float highest_a, lowest_b;
  float rounding;  ///< more than each is off by
};

template <std::size_t Count>
Projections project(const Eigen::Vector3f& point, const std::array<Eigen::Vector3f, Count>& a,
                    const std::array<Eigen::Vector3f, Count>& b) {
  Eigen::Vector3f way = Eigen::Vector3f::Zero();
  for (std::size_t k = 0; k < Count; ++k) way += b[k] - a[k];
  float highest_a = std::numeric_limits<float>::lowest(), lowest_b = std::numeric_limits<float>::max(), farthest = 0;
  for (std::size_t k = 0; k < Count; ++k) {
    const Eigen::Vector3f from_a = a[k] - point, from_b = b[k] - point;
    highest_a = std::max(highest_a, way.dot(from_a));
    lowest_b = std::min(lowest_b, way.dot(from_b));
    farthest = std::max({farthest, from_a.squaredNorm(), from_b.squaredNorm()});
  }
  return {highest_a, lowest_b, 1e-5F * std::sqrt(way.squaredNorm() * farthest)};
}

}  // namespace

bool intersect(const TriangleCorners& a, const TriangleCorners& b) {
  if (!a.box.intersects(b.box)) return false;
  // A plane between them, across the way, is found for most triangles, at a tenth of the cost of the whole test.
  const Projections along = project(a.at[0], a.at, b.at);
  if (along.lowest_b - along.highest_a > along.rounding) return false;
  const Eigen::Vector3d normal_a = normal_of(a), normal_b = normal_of(b);
  const std::array<double, 3> sides_b = sides_of(normal_a, a.at[0], b);
  if (on_one_side(sides_b)) return false;
  const std::array<double, 3> sides_a = sides_of(normal_b, b.at[0], a);
  if (on_one_side(sides_a)) return false;
  int axis = 0;
  normal_a.cross(normal_b).cwiseAbs().maxCoeff(&axis);
  const std::optional<LinePart> first = on_line(a, sides_a, axis), second = on_line(b, sides_b, axis);
  return first && second && first->begin < second->end && second->begin < first->end;
}

bool share_vertex(const Triangle& a, const Triangle& b) {
  return std::ranges::any_of(a, [&](std::int32_t vertex) { return std::ranges::find(b, vertex) != b.end(); });
}

bool intersect_elsewhere(const TriangleCorners& a, std::size_t corner_a, const TriangleCorners& b,
                         std::size_t corner_b) {
  const Eigen::Vector3f &left_a = a.at.at((corner_a + 1) % 3), &right_a = a.at.at((corner_a + 2) % 3);
  const Eigen::Vector3f &left_b = b.at.at((corner_b + 1) % 3), &right_b = b.at.at((corner_b + 2) % 3);
  // As above, by a plane through the common corner.
  const Projections along = project<2>(a.at.at(corner_a), {left_a, right_a}, {left_b, right_b});
  if (along.highest_a < -along.rounding && along.lowest_b > along.rounding) return false;
  // The sides across from the common corner.
  return passes_through(left_a, right_a, b) || passes_through(left_b, right_b, a);
}

TriangleBuckets::TriangleBuckets(float side, std::span<const Box> boxes)
    : side_(side), newest_(std::bit_ceil(boxes.size() + 1), kNone), first_(buckets() + 1) {
  const auto for_each_place = [&](const auto& body) {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (boxes[i].isEmpty()) continue;
      for_each_bucket(boxes[i], [&](std::size_t bucket) { body(i, bucket); });
    }
  };
  for_each_place([&](std::size_t, std::size_t bucket) { ++first_[bucket + 1]; });
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  listed_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for_each_place([&](std::size_t i, std::size_t bucket) {
    listed_[next[bucket]++] = {boxes[i], static_cast<std::uint32_t>(i)};
  });
}

void TriangleBuckets::add(std::uint32_t triangle, const Box& box) {
  for_each_bucket(box, [&](std::size_t bucket) {
    std::uint32_t i = first_[bucket];
    while (i < first_[bucket + 1] && listed_[i].triangle != triangle) ++i;
    if (i == first_[bucket + 1]) {
      i = newest_[bucket];
      while (i != kNone && listed_[i].triangle != triangle) i = listed_[i].older;
    }
    if (i != kNone) {
      listed_[i].box = box;
    } else {
      listed_.push_back({box, triangle, newest_[bucket]});
      newest_[bucket] = static_cast<std::uint32_t>(listed_.size() - 1);
    }
  });
}

}  // namespace p2mpp
