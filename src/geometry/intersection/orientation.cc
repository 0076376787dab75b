#include "geometry/intersection/orientation.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace p2mpp {
namespace {

// Of a determinant of differences that is computed in double: its error, as a share of the same sum of absolute values.
// Source: Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates" (1997), where
// the bounds are a little smaller.
constexpr double kError3 = 1e-15, kError2 = 5e-16;

int sign_of(double number) { return number > 0 ? 1 : number < 0 ? -1 : 0; }

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

  [[nodiscard]] int sign() const { return count_ == 0 ? 0 : sign_of(parts_[count_ - 1]); }

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

int OrientedPlane::side_of(const Eigen::Vector3f& point) const {
  const Eigen::Vector3d way = point.cast<double>() - a_.cast<double>();
  const double volume = way.dot(normal_);
  if (std::abs(volume) > kError3 * way.cwiseAbs().dot(sizes_)) return sign_of(volume);
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
  if (std::abs(left - right) > kError2 * (std::abs(left) + std::abs(right))) return sign_of(left - right);
  ExactSum sum;
  for (const auto& [one, other] : {std::pair(a, b), std::pair(b, c), std::pair(c, a)}) {
    sum.add_product(one.x(), other.y(), 1);
    sum.add_product(-one.y(), other.x(), 1);
  }
  return sum.sign();
}

}  // namespace p2mpp
