#include "geometry/lens.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "p2mpp/error.h"

namespace p2mpp {
namespace {

/// Directions are looked for up to this tangent of the angle to the axis (89.99 degrees).
constexpr double kLargestTangent = 5730;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Polynomial = std::vector<double>;  ///< coefficients, the constant first

double value_at(const Polynomial& polynomial, double s) {
  double value = 0;
  for (std::size_t i = polynomial.size(); i-- > 0;) value = value * s + polynomial[i];
  return value;
}

Polynomial derivative(const Polynomial& polynomial) {
  Polynomial result;
  for (std::size_t i = 1; i < polynomial.size(); ++i) result.push_back(static_cast<double>(i) * polynomial[i]);
  return result;
}

Polynomial product(const Polynomial& a, const Polynomial& b, double factor, std::size_t shift) {
  Polynomial result(a.size() + b.size() - 1 + shift, 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) result[i + j + shift] += factor * a[i] * b[j];
  }
  return result;
}

/// Where a polynomial that is monotonic between low and high changes its sign.
double crossing(const Polynomial& polynomial, double low, double high) {
  const bool starts_negative = value_at(polynomial, low) < 0;
  for (int i = 0; i < 200; ++i) {
    const double middle = low + (high - low) / 2;
    (value_at(polynomial, middle) < 0) == starts_negative ? low = middle : high = middle;
  }
  return low;
}

/// All sign changes between 0 and `end`, in order: between two of the derivative's roots there is at most one.
std::vector<double> sign_changes(const Polynomial& polynomial, double end) {
  if (polynomial.size() < 2) return {};
  std::vector<double> edges = sign_changes(derivative(polynomial), end);
  edges.push_back(end);
  std::vector<double> roots;
  double low = 0;
  for (const double high : edges) {
    if (value_at(polynomial, low) * value_at(polynomial, high) < 0) roots.push_back(crossing(polynomial, low, high));
    low = high;
  }
  return roots;
}

double first_sign_change(const Polynomial& polynomial, double end, double otherwise) {
  const std::vector<double> roots = sign_changes(polynomial, end);
  return roots.empty() ? otherwise : roots.front();
}

/// The radial factor is N/D, both in the square s of the radius, or of a fisheye's angle.
Polynomial numerator(const Lens& lens) {
  const auto& k = lens.coefficients;
  const auto& more = lens.extras.radial;
  Polynomial all = {1, k[0], k[1], k[4], more[0], more[1], more[2]};
  if (lens.model == LensModel::kFisheye) all = {1, k[0], k[1], k[2], k[3], more[0], more[1], more[2]};
  constexpr std::size_t kUsual = 4;
  while (all.size() > kUsual && all.back() == 0) all.pop_back();
  return all;
}
Polynomial denominator(const Lens& lens) {
  if (lens.model == LensModel::kFisheye) return {1};
  return {1, lens.coefficients[5], lens.coefficients[6], lens.coefficients[7]};
}

double first_turning_radius(const Lens& lens) {
  if (lens.model == LensModel::kFisheye) {
    constexpr double kPi = std::numbers::pi;
    Polynomial slope = numerator(lens);
    for (std::size_t i = 0; i < slope.size(); ++i) slope[i] *= static_cast<double>(2 * i + 1);
    return std::sqrt(first_sign_change(slope, kPi * kPi, kPi * kPi));
  }
  // The derivative of r N/D has the sign of N D + 2 s (N' D - N D'). Where D is 0, the mapping has a pole.
  const Polynomial n = numerator(lens), d = denominator(lens);
  Polynomial slope = product(n, d, 1, 0);
  const Polynomial up = product(derivative(n), d, 2, 1), down = product(n, derivative(d), -2, 1);
  for (std::size_t i = 0; i < slope.size(); ++i) slope[i] += up[i] + down[i];
  constexpr double kEnd = kLargestTangent * kLargestTangent;
  return std::sqrt(std::min(first_sign_change(slope, kEnd, kInfinity), first_sign_change(d, kEnd, kInfinity)));
}

}  // namespace

void check_lens(const Lens& lens) {
  for (const auto& [name, value] : {std::pair{"fx", lens.fx}, std::pair{"fy", lens.fy}}) {
    if (std::isfinite(value) && value > 0) continue;
    throw InputError(
        fmt::format("{} is {}; expected a positive number", name, std::isnan(value) ? std::fabs(value) : value));
  }
  for (const auto& [name, value] : {std::pair{"cx", lens.cx}, std::pair{"cy", lens.cy}}) {
    if (std::isfinite(value)) continue;
    throw InputError(fmt::format("{} is {}; expected a finite number", name, std::fabs(value)));
  }
  const auto check_all = [](const auto& values) {
    for (const double value : values) {
      if (!std::isfinite(value)) throw InputError("a distortion coefficient is not finite; expected a finite number");
    }
  };
  check_all(lens.coefficients);
  check_all(lens.extras.radial);
  check_all(lens.extras.tangential);
  check_all(lens.extras.tangential_growth);
  check_all(lens.extras.prism);
  constexpr double kMostShear = 0.2;
  if (!(std::fabs(lens.extras.shear) <= kMostShear)) {
    throw InputError(
        fmt::format("the skew is {:.3g} of the focal length; expected at most {}", lens.extras.shear, kMostShear));
  }
}

LensMap::LensMap(const Lens& lens) : lens_(lens), limit_(first_turning_radius(lens)) {
  const bool is_fisheye = lens.model == LensModel::kFisheye;
  p1_ = is_fisheye ? lens.extras.tangential[0] : lens.coefficients[2];
  p2_ = is_fisheye ? lens.extras.tangential[1] : lens.coefficients[3];
  constexpr std::array<double, 4> kNone{};
  is_radial_ = p1_ == 0 && p2_ == 0 && lens.extras.tangential_growth == kNone && lens.extras.prism == kNone;
}

double LensMap::factor(double s) const {
  const auto& k = lens_.coefficients;
  const auto& more = lens_.extras.radial;
  const double rest = more[0] + s * (more[1] + s * more[2]);
  if (lens_.model == LensModel::kFisheye) return 1 + s * (k[0] + s * (k[1] + s * (k[2] + s * (k[3] + s * rest))));
  return (1 + s * (k[0] + s * (k[1] + s * (k[4] + s * rest)))) / (1 + s * (k[5] + s * (k[6] + s * k[7])));
}

double LensMap::slope(double s) const {
  const auto& k = lens_.coefficients;
  const auto& more = lens_.extras.radial;
  if (lens_.model == LensModel::kFisheye) {
    const double rest = 5 * more[0] + s * (6 * more[1] + s * 7 * more[2]);
    return k[0] + s * (2 * k[1] + s * (3 * k[2] + s * (4 * k[3] + s * rest)));
  }
  const double d = 1 + s * (k[5] + s * (k[6] + s * k[7])), d1 = k[5] + s * (2 * k[6] + s * 3 * k[7]);
  const double n1 = k[0] + s * (2 * k[1] + s * (3 * k[4] + s * (4 * more[0] + s * (5 * more[1] + s * 6 * more[2]))));
  return (n1 - factor(s) * d1) / d;
}

double LensMap::radial(double radius) const { return radius * factor(radius * radius); }

Eigen::Vector2d LensMap::tangential(double s) const {
  const auto& growth = lens_.extras.tangential_growth;
  return {p1_ + s * (growth[0] + s * growth[2]), p2_ + s * (growth[1] + s * growth[3])};
}

Eigen::Vector2d LensMap::tangential_slope(double s) const {
  const auto& growth = lens_.extras.tangential_growth;
  return {growth[0] + 2 * s * growth[2], growth[1] + 2 * s * growth[3]};
}

Eigen::Vector2d LensMap::sideways(const Eigen::Vector2d& point) const {
  const double x = point.x(), y = point.y(), s = point.squaredNorm();
  const Eigen::Vector2d p = tangential(s);
  const auto& prism = lens_.extras.prism;
  return {2 * p[0] * x * y + p[1] * (s + 2 * x * x) + s * (prism[0] + s * prism[1]),
          p[0] * (s + 2 * y * y) + 2 * p[1] * x * y + s * (prism[2] + s * prism[3])};
}

Eigen::Matrix2d LensMap::sideways_derivative(const Eigen::Vector2d& point) const {
  const double x = point.x(), y = point.y(), s = point.squaredNorm();
  const Eigen::Vector2d p = tangential(s), slopes = tangential_slope(s);
  const auto& prism = lens_.extras.prism;
  Eigen::Matrix2d derivative;
  derivative << 2 * p[0] * y + 6 * p[1] * x, 2 * p[0] * x + 2 * p[1] * y, 2 * p[0] * x + 2 * p[1] * y,
      6 * p[0] * y + 2 * p[1] * x;
  const double grows_x = slopes[0] * 2 * x * y + slopes[1] * (s + 2 * x * x);
  const double grows_y = slopes[0] * (s + 2 * y * y) + slopes[1] * 2 * x * y;
  derivative.row(0) += 2 * (prism[0] + 2 * s * prism[1] + grows_x) * point.transpose();
  derivative.row(1) += 2 * (prism[2] + 2 * s * prism[3] + grows_y) * point.transpose();
  return derivative;
}

Eigen::Vector2d LensMap::distorted(const Eigen::Vector2d& point) const {
  const Eigen::Vector2d moved = point * factor(point.squaredNorm());
  return moved + sideways(lens_.extras.after_radial ? moved : point);
}

Eigen::Matrix2d LensMap::derivative_at(const Eigen::Vector2d& point) const {
  const double s = point.squaredNorm(), by = factor(s);
  const Eigen::Matrix2d moved = by * Eigen::Matrix2d::Identity() + 2 * slope(s) * point * point.transpose();
  if (!lens_.extras.after_radial) return moved + sideways_derivative(point);
  return moved + sideways_derivative(by * point) * moved;
}

std::optional<Eigen::Vector2d> LensMap::pixel_of(const Eigen::Vector3d& direction) const {
  const double side = std::hypot(direction.x(), direction.y());
  if (!direction.allFinite() || (side == 0 && direction.z() <= 0)) return std::nullopt;
  Eigen::Vector2d point = Eigen::Vector2d::Zero();
  if (lens_.model == LensModel::kFisheye) {
    const double angle = std::atan2(side, direction.z());
    if (angle >= limit_) return std::nullopt;
    if (side > 0 && is_radial_) point = direction.head<2>() * (radial(angle) / side);
    if (!is_radial_) point = distorted(side > 0 ? Eigen::Vector2d(direction.head<2>() * (angle / side)) : point);
  } else {
    if (direction.z() <= 0 || side >= limit_ * direction.z()) return std::nullopt;
    point = distorted(direction.head<2>() / direction.z());
  }
  const Eigen::Vector2d pixel(lens_.fx * (point.x() + lens_.extras.shear * point.y()) + lens_.cx,
                              lens_.fy * point.y() + lens_.cy);
  return pixel.allFinite() ? std::optional(pixel) : std::nullopt;
}

/// Bisection: radial() grows up to the limit. Its steps are few beside those of a reader, and it cannot fail.
std::optional<double> LensMap::radius_of(double distorted_radius) const {
  double low = 0;
  double high = std::min(limit_, kLargestTangent) * (1 - 1e-15);
  if (!(radial(high) >= distorted_radius)) return std::nullopt;
  for (int i = 0; i < 100 && low < high; ++i) {
    const double middle = low + (high - low) / 2;
    (radial(middle) < distorted_radius ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

/// Newton's method from the solution without tangential distortion, with steps that are halved until they help.
std::optional<Eigen::Vector2d> LensMap::undistorted(const Eigen::Vector2d& target) const {
  const double length = target.norm();
  if (length == 0 && is_radial_) return target;
  const std::optional<double> radius = radius_of(length);
  const double start = radius ? *radius : 0.99 * std::min(limit_, kLargestTangent);
  Eigen::Vector2d point = length > 0 ? Eigen::Vector2d(target * (start / length)) : target;
  Eigen::Vector2d error = distorted(point) - target;
  for (int i = 0; i < 60 && error.norm() > 0; ++i) {
    Eigen::Vector2d step = derivative_at(point).inverse() * error;
    bool better = false;
    for (int halving = 0; halving < 20 && !better; ++halving, step /= 2) {
      const Eigen::Vector2d next = point - step;
      if (!next.allFinite() || next.norm() >= limit_) continue;
      const Eigen::Vector2d next_error = distorted(next) - target;
      if (!(next_error.norm() < error.norm())) continue;
      better = true;
      point = next;
      error = next_error;
    }
    if (!better) break;  // as near as doubles come
  }
  constexpr double kTolerance = 1e-12;
  return error.norm() <= kTolerance * (1 + length) ? std::optional(point) : std::nullopt;
}

std::optional<Eigen::Vector3d> LensMap::direction_of(const Eigen::Vector2d& pixel) const {
  const double y = (pixel.y() - lens_.cy) / lens_.fy;
  const Eigen::Vector2d target((pixel.x() - lens_.cx) / lens_.fx - lens_.extras.shear * y, y);
  if (!target.allFinite()) return std::nullopt;
  if (lens_.model == LensModel::kFisheye && is_radial_) {
    const double length = target.norm();
    const std::optional<double> angle = radius_of(length);
    if (!angle) return std::nullopt;
    if (length == 0) return Eigen::Vector3d::UnitZ();
    const Eigen::Vector2d side = target * (std::sin(*angle) / length);
    return Eigen::Vector3d(side.x(), side.y(), std::cos(*angle));
  }
  const std::optional<Eigen::Vector2d> point = undistorted(target);
  if (!point) return std::nullopt;
  if (lens_.model == LensModel::kFisheye) {
    const double angle = point->norm();
    if (angle == 0) return Eigen::Vector3d::UnitZ();
    const Eigen::Vector2d side = *point * (std::sin(angle) / angle);
    return Eigen::Vector3d(side.x(), side.y(), std::cos(angle));
  }
  return Eigen::Vector3d(point->x(), point->y(), 1).normalized();
}

std::optional<Eigen::Vector2d> pixel_of(const Lens& lens, const Eigen::Vector3d& direction) {
  return LensMap(lens).pixel_of(direction);
}

std::optional<Eigen::Vector3d> direction_of(const Lens& lens, const Eigen::Vector2d& pixel) {
  return LensMap(lens).direction_of(pixel);
}

}  // namespace p2mpp
