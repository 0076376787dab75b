#include "geometry/triangle_intersection.h"

#include <Eigen/Geometry>
#include <algorithm>
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

}  // namespace

bool intersect(const TriangleCorners& a, const TriangleCorners& b) {
  if ((a.low.array() > b.high.array()).any() || (b.low.array() > a.high.array()).any()) return false;
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

bool passes_through(const Eigen::Vector3f& from, const Eigen::Vector3f& to, const TriangleCorners& triangle) {
  if ((from.cwiseMin(to).array() > triangle.high.array()).any()) return false;
  if ((from.cwiseMax(to).array() < triangle.low.array()).any()) return false;
  const Eigen::Vector3d start = from.cast<double>(), way = to.cast<double>() - start;
  std::array<Eigen::Vector3d, 3> corners;
  for (std::size_t k = 0; k < 3; ++k) corners[k] = triangle.at[k].cast<double>() - start;
  const Eigen::Vector3d normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
  const double begin = -normal.dot(corners[0]), end = normal.dot(way - corners[0]);
  if ((begin > 0) == (end > 0)) return false;
  const auto side = [&](std::size_t k) { return way.dot(corners[k].cross(corners[(k + 1) % 3])) > 0; };
  return side(0) == side(1) && side(1) == side(2);
}

void TriangleBuckets::add(std::uint32_t triangle, const TriangleCorners& corners) {
  for_each_bucket(corners, [&](std::size_t bucket) {
    std::vector<Listed>& listed = buckets_[bucket];
    const auto found = std::ranges::find(listed, triangle, &Listed::triangle);
    if (found == listed.end()) {
      listed.push_back({triangle, corners.low, corners.high});
    } else {
      *found = {triangle, corners.low, corners.high};
    }
  });
}

}  // namespace p2mpp
