#include "geometry/intersection/triangle_intersection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace p2mpp {
namespace {

// Of a determinant of differences that is computed in double: its error, as a share of the same sum of absolute values.
// Source: Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates" (1997), where
// the bounds are a little smaller.
constexpr double kError3 = 1e-15, kError2 = 5e-16;

int exact_sign(double number) { return number > 0 ? 1 : number < 0 ? -1 : 0; }

/// An exact sum of doubles. Source: Shewchuk's expansions, which do not overlap, the smallest summand first.
class ExactSum {
 public:
  void add(double number) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const double sum = number + parts_[i], of_part = sum - number;
      const double lost = (number - (sum - of_part)) + (parts_[i] - of_part);
      if (lost != 0) parts_[kept++] = lost;
      number = sum;
    }
    if (number != 0) parts_[kept++] = number;
    count_ = kept;
  }

  /// Adds a product of three floats. A float's range is so small that no double under- or overflows.
  void add_product(float a, float b, float c) {
    const double of_two = static_cast<double>(a) * static_cast<double>(b);  // exact
    const double of_three = of_two * static_cast<double>(c);
    add(std::fma(of_two, static_cast<double>(c), -of_three));
    add(of_three);
  }

  [[nodiscard]] int sign() const { return count_ == 0 ? 0 : exact_sign(parts_[count_ - 1]); }

 private:
  static constexpr std::size_t kMost = 48;  // two of each product of a determinant
  std::array<double, kMost> parts_{};
  std::size_t count_ = 0;
};

/// Adds the determinant of three columns, times 1 or -1.
void add_determinant(ExactSum& sum, float sign, const Eigen::Vector3f& a, const Eigen::Vector3f& b,
                     const Eigen::Vector3f& c) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    sum.add_product(sign * a[i], b[j], c[k]);
    sum.add_product(-sign * a[i], b[k], c[j]);
  }
}

}  // namespace

OrientedPlane::OrientedPlane(const Eigen::Vector3f& a, const Eigen::Vector3f& b, const Eigen::Vector3f& c)
    : a_(a), b_(b), c_(c) {
  const Eigen::Vector3d u = b.cast<double>() - a.cast<double>(), v = c.cast<double>() - a.cast<double>();
  const Eigen::Vector3d left(u.y() * v.z(), u.z() * v.x(), u.x() * v.y());
  const Eigen::Vector3d right(u.z() * v.y(), u.x() * v.z(), u.y() * v.x());
  normal_ = left - right;
  sizes_ = left.cwiseAbs() + right.cwiseAbs();
}

int OrientedPlane::signed_side(const Eigen::Vector3f& point) const {
  const Eigen::Vector3d way = point.cast<double>() - a_.cast<double>();
  const double volume = way.dot(normal_);
  if (std::abs(volume) > kError3 * way.cwiseAbs().dot(sizes_)) return exact_sign(volume);
  ExactSum sum;  // of the volumes between the origin and the sides of the tetrahedron
  add_determinant(sum, 1, b_, c_, point);
  add_determinant(sum, -1, a_, c_, point);
  add_determinant(sum, 1, a_, b_, point);
  add_determinant(sum, -1, a_, b_, c_);
  return sum.sign();
}

int orientation(const Eigen::Vector2f& a, const Eigen::Vector2f& b, const Eigen::Vector2f& c) {
  const Eigen::Vector2d from = a.cast<double>();
  const Eigen::Vector2d u = b.cast<double>() - from, v = c.cast<double>() - from;
  const double left = u.x() * v.y(), right = u.y() * v.x();
  if (std::abs(left - right) > kError2 * (std::abs(left) + std::abs(right))) return exact_sign(left - right);
  ExactSum sum;
  for (const auto& [one, other] : {std::pair(a, b), std::pair(b, c), std::pair(c, a)}) {
    sum.add_product(one.x(), other.y(), 1);
    sum.add_product(-one.y(), other.x(), 1);
  }
  return sum.sign();
}

namespace {

bool on_one_side(const std::array<int, 3>& sides) {
  return sides[0] == sides[1] && sides[1] == sides[2] && sides[0] != 0;
}

/// On which side of a plane the corners of a triangle are.
std::array<int, 3> signed_sides(const OrientedPlane& plane, const TriangleCorners& triangle) {
  return {plane.signed_side(triangle.at[0]), plane.signed_side(triangle.at[1]), plane.signed_side(triangle.at[2])};
}

using TriangleSide = std::array<Eigen::Vector3f, 2>;

TriangleSide across(const TriangleCorners& triangle, std::size_t corner) {
  return {triangle.at.at((corner + 1) % 3), triangle.at.at((corner + 2) % 3)};
}

using Corners2 = std::array<Eigen::Vector2f, 3>;

/// Points of a triangle's plane without one of their coordinates.
struct PlaneProjection {
  int x = 0, y = 1;
  [[nodiscard]] Eigen::Vector2f of(const Eigen::Vector3f& point) const { return {point[x], point[y]}; }
  [[nodiscard]] Corners2 of(const TriangleCorners& triangle) const {
    return {of(triangle.at[0]), of(triangle.at[1]), of(triangle.at[2])};
  }
};

/// The one in which the triangle is largest, if it has an area in any.
std::optional<PlaneProjection> project_triangle(const TriangleCorners& triangle, const Eigen::Vector3d& normal) {
  int longest = 0;
  normal.cwiseAbs().maxCoeff(&longest);
  for (int i = 0; i < 3; ++i) {
    const PlaneProjection projection{(longest + i + 1) % 3, (longest + i + 2) % 3};
    const Corners2 corners = projection.of(triangle);
    if (orientation(corners[0], corners[1], corners[2]) != 0) return projection;
  }
  return std::nullopt;
}

bool is_inside(const Corners2& triangle, const Eigen::Vector2f& point) {
  const int one = orientation(triangle[0], triangle[1], point), two = orientation(triangle[1], triangle[2], point),
            three = orientation(triangle[2], triangle[0], point);
  return std::max({one, two, three}) <= 0 || std::min({one, two, three}) >= 0;
}

bool cross(const Eigen::Vector2f& a, const Eigen::Vector2f& b, const Eigen::Vector2f& c, const Eigen::Vector2f& d) {
  if (orientation(a, b, c) * orientation(a, b, d) > 0 || orientation(c, d, a) * orientation(c, d, b) > 0) return false;
  return Eigen::AlignedBox2f(a.cwiseMin(b), a.cwiseMax(b))
      .intersects(Eigen::AlignedBox2f(c.cwiseMin(d), c.cwiseMax(d)));  // matters if they are in one line
}

/// Whether a segment of a triangle's plane meets the triangle.
bool meets_in_plane(const Eigen::Vector3f& from, const Eigen::Vector3f& to, const TriangleCorners& triangle,
                    const Eigen::Vector3d& normal) {
  const std::optional<PlaneProjection> projection = project_triangle(triangle, normal);
  if (!projection) return false;
  const Eigen::Vector2f p = projection->of(from), q = projection->of(to);
  const Corners2 corners = projection->of(triangle);
  return is_inside(corners, p) || cross(p, q, corners[0], corners[1]) || cross(p, q, corners[1], corners[2]) ||
         cross(p, q, corners[2], corners[0]);
}

/// Whether a segment meets a triangle; on which sides of its plane the ends are.
bool meets(const Eigen::Vector3f& from, int side_of_from, const Eigen::Vector3f& to, int side_of_to,
           const TriangleCorners& triangle, const OrientedPlane& plane) {
  if (side_of_from * side_of_to > 0) return false;
  if (side_of_from == 0 && side_of_to == 0) return meets_in_plane(from, to, triangle, plane.normal());
  std::array<int, 3> turns{};  // of the triangle's sides around the segment
  for (std::size_t k = 0; k < 3; ++k) {
    turns[k] = OrientedPlane(from, to, triangle.at[k]).signed_side(triangle.at[(k + 1) % 3]);
  }
  return *std::ranges::max_element(turns) <= 0 || *std::ranges::min_element(turns) >= 0;
}

bool meets(const Eigen::Vector3f& from, const Eigen::Vector3f& to, const TriangleCorners& triangle) {
  if (!Eigen::AlignedBox3f(from.cwiseMin(to), from.cwiseMax(to)).intersects(triangle.box)) return false;
  const OrientedPlane plane(triangle.at[0], triangle.at[1], triangle.at[2]);
  return meets(from, plane.signed_side(from), to, plane.signed_side(to), triangle, plane);
}

/// Whether a side of one triangle meets the other. sides: of the plane, on which the corners are.
bool any_side_meets(const TriangleCorners& one, const std::array<int, 3>& sides, const TriangleCorners& other,
                    const OrientedPlane& plane) {
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t next = (k + 1) % 3;
    if (meets(one.at[k], sides[k], one.at[next], sides[next], other, plane)) return true;
  }
  return false;
}

/// Two groups of corners along the way between their middles, from a point.
struct Projections {
  float highest_a, lowest_b;
  float rounding;  ///< more than each is off by
  float length;    ///< of the way
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
  const float length = way.norm();
  return {highest_a, lowest_b, 1e-5F * length * std::sqrt(farthest), length};
}

/// Whether a plane between them, across the way, is found: that is so for most triangles, at a tenth of the cost of the
/// whole test.
bool are_apart_along_way(const TriangleCorners& a, const TriangleCorners& b, float gap) {
  const Projections along = project(a.at[0], a.at, b.at);
  return along.lowest_b - along.highest_a > along.rounding + gap * along.length;
}

/// The same of triangles that share a corner, by a plane through it; from the sides across from it.
bool are_apart_at_corner(const Eigen::Vector3f& corner, const TriangleSide& side_a, const TriangleSide& side_b,
                         float gap) {
  const Projections along = project(corner, side_a, side_b);
  const float least = along.rounding + gap * along.length;
  return along.highest_a < -least && along.lowest_b > least;
}

/// Of triangles that share no corner.
bool intersect(const TriangleCorners& a, const TriangleCorners& b) {
  if (!a.box.intersects(b.box)) return false;
  if (are_apart_along_way(a, b, 0)) return false;
  const OrientedPlane plane_a(a.at[0], a.at[1], a.at[2]);
  const std::array<int, 3> sides_b = signed_sides(plane_a, b);
  if (on_one_side(sides_b)) return false;
  const OrientedPlane plane_b(b.at[0], b.at[1], b.at[2]);
  const std::array<int, 3> sides_a = signed_sides(plane_b, a);
  if (on_one_side(sides_a)) return false;
  return any_side_meets(a, sides_a, b, plane_b) || any_side_meets(b, sides_b, a, plane_a);
}

/// Of triangles that share a corner.
bool intersect_beyond_corner(const TriangleCorners& a, std::size_t corner_a, const TriangleCorners& b,
                             std::size_t corner_b) {
  const TriangleSide side_a = across(a, corner_a), side_b = across(b, corner_b);
  if (are_apart_at_corner(a.at.at(corner_a), side_a, side_b, 0)) return false;
  // What they have in common ends at the corner and at a side across from it.
  return meets(side_a[0], side_a[1], b) || meets(side_b[0], side_b[1], a);
}

/// Of triangles that share the side across from an apex: whether one lies on the other.
bool intersect_beyond_side(const TriangleCorners& a, std::size_t apex_a, const TriangleCorners& b, std::size_t apex_b) {
  const OrientedPlane plane(a.at[0], a.at[1], a.at[2]);
  if (plane.signed_side(b.at.at(apex_b)) != 0) return false;
  const std::optional<PlaneProjection> projection = project_triangle(a, plane.normal());
  if (!projection) return false;
  const Corners2 corners = projection->of(a);
  const Eigen::Vector2f &from = corners.at((apex_a + 1) % 3), &to = corners.at((apex_a + 2) % 3);
  return orientation(from, to, corners.at(apex_a)) * orientation(from, to, projection->of(b.at.at(apex_b))) > 0;
}

bool have_common_points(const TriangleCorners& a, const TriangleCorners& b, const SharedCorners& shared) {
  if (shared.count == 0) return intersect(a, b);
  if (shared.count == 1) return intersect_beyond_corner(a, shared.of_a, b, shared.of_b);
  return shared.count == 2 && intersect_beyond_side(a, shared.of_a, b, shared.of_b);
}

/// Whether a plane across an axis has a gap on one of its sides: more than that is between two groups of points.
bool has_gap(const Eigen::Vector3d& axis, std::span<const Eigen::Vector3f> a, std::span<const Eigen::Vector3f> b,
             double gap) {
  const auto extent = [&](std::span<const Eigen::Vector3f> points) {
    double low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();
    for (const Eigen::Vector3f& point : points) {
      const double place = axis.dot((point - a.front()).cast<double>());
      low = std::min(low, place);
      high = std::max(high, place);
    }
    return std::pair(low, high);
  };
  const auto [low_a, high_a] = extent(a);
  const auto [low_b, high_b] = extent(b);
  return std::max(low_b - high_a, low_a - high_b) > gap * axis.norm();
}

/// Whether more than a gap is between a segment or triangle, and a triangle, along the normal of a side, an edge or a
/// corner of the two.
bool are_apart(std::span<const Eigen::Vector3f> a, const TriangleCorners& b, double gap) {
  const auto edge = [](std::span<const Eigen::Vector3f> points, std::size_t k) {
    return (points[(k + 1) % points.size()] - points[k]).cast<double>().eval();
  };
  const Eigen::Vector3d normal = edge(b.at, 0).cross(edge(b.at, 1));
  if (has_gap(normal, a, b.at, gap)) return true;
  if (a.size() == 3 && has_gap(edge(a, 0).cross(edge(a, 1)), a, b.at, gap)) return true;
  for (std::size_t i = 0; i < (a.size() == 3 ? 3 : 1); ++i) {
    if (has_gap(normal.cross(edge(a, i)), a, b.at, gap)) return true;
    for (std::size_t k = 0; k < 3; ++k) {
      if (has_gap(edge(a, i).cross(edge(b.at, k)), a, b.at, gap)) return true;
      if (i == 0 && has_gap(normal.cross(edge(b.at, k)), a, b.at, gap)) return true;
    }
  }
  return false;
}

bool has_area(const TriangleCorners& triangle) {
  return project_triangle(triangle, OrientedPlane(triangle.at[0], triangle.at[1], triangle.at[2]).normal()).has_value();
}

}  // namespace

bool intersect(const TriangleCorners& a, const TriangleCorners& b, const SharedCorners& shared) {
  return have_common_points(a, b, shared) && has_area(a) && has_area(b);
}

bool are_close(const TriangleCorners& a, const TriangleCorners& b, const SharedCorners& shared, float margin) {
  if (shared.count > 1) return intersect(a, b, shared);
  if (!a.box.intersects(b.box)) return false;
  const auto gap = static_cast<double>(margin);
  if (shared.count == 0) return !are_apart_along_way(a, b, margin) && !are_apart(a.at, b, gap);
  const TriangleSide side_a = across(a, shared.of_a), side_b = across(b, shared.of_b);
  if (are_apart_at_corner(a.at.at(shared.of_a), side_a, side_b, margin)) return false;
  return !are_apart(side_a, b, gap) || !are_apart(side_b, a, gap);
}

float rounding_margin(std::span<const Eigen::Vector3f> vertices) {
  constexpr float kShare = 1.5e-5F;  // a vertex moves by up to 6.6e-6 of the extent: see placed()
  Eigen::AlignedBox3f box;
  for (const Eigen::Vector3f& vertex : vertices) box.extend(vertex);
  return box.isEmpty() ? 0 : kShare * box.sizes().maxCoeff();
}

}  // namespace p2mpp
