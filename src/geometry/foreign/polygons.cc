#include "geometry/foreign/polygons.h"

#include <fmt/format.h>

#include <algorithm>

#include "p2mpp/error.h"

// Source of the ears: G. Meisters, "Polygons Have Ears", American Mathematical Monthly, 1975.
namespace p2mpp {
namespace {

constexpr std::size_t kMostConcaveCorners = 1000;

double cross(const Eigen::Vector2d& a, const Eigen::Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); }

/// A polygon seen against its normal: counter-clockwise, without the axis along which it is thinnest.
std::vector<Eigen::Vector2d> flattened(std::span<const Eigen::Vector3d> corners) {
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();  // Newell's
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Eigen::Vector3d a = corners[i] - corners[0], b = corners[(i + 1) % corners.size()] - corners[0];
    normal +=
        Eigen::Vector3d(a.y() * b.z() - a.z() * b.y(), a.z() * b.x() - a.x() * b.z(), a.x() * b.y() - a.y() * b.x());
  }
  int axis = 0;
  normal.cwiseAbs().maxCoeff(&axis);
  int across = (axis + 1) % 3, up = (axis + 2) % 3;
  if (normal[axis] < 0) std::swap(across, up);
  std::vector<Eigen::Vector2d> flat;
  flat.reserve(corners.size());
  for (const Eigen::Vector3d& corner : corners) {
    flat.emplace_back(corner[across] - corners[0][across], corner[up] - corners[0][up]);
  }
  return flat;
}

/// Twice the area of the triangle of three corners: negative at a concave corner.
double turn(const std::vector<Eigen::Vector2d>& flat, const CornerTriangle& corners) {
  const Eigen::Vector2d& middle = flat[corners[1]];
  return cross(middle - flat[corners[0]], flat[corners[2]] - middle);
}

bool is_convex(const std::vector<Eigen::Vector2d>& flat) {
  constexpr double kTolerance = 1e-9;  // of the polygon's size, squared: corners on a straight edge are convex
  double size = 0;
  for (const Eigen::Vector2d& corner : flat) size = std::max(size, corner.squaredNorm());
  const auto count = static_cast<std::uint32_t>(flat.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    if (turn(flat, {i, (i + 1) % count, (i + 2) % count}) < -kTolerance * size) return false;
  }
  return true;
}

void append_fan(std::span<const std::uint32_t> corners, std::vector<CornerTriangle>& triangles) {
  for (std::size_t i = 2; i < corners.size(); ++i) triangles.push_back({corners[0], corners[i - 1], corners[i]});
}

class EarCutter {
 public:
  EarCutter(const std::vector<Eigen::Vector2d>& flat, std::vector<std::uint32_t> corners)
      : flat_(flat), left_(std::move(corners)) {}

  void append_to(std::vector<CornerTriangle>& triangles) {
    std::size_t at = 0, without_ear = 0;
    while (left_.size() > 3 && without_ear < left_.size()) {
      at %= left_.size();
      const CornerTriangle ear = {left_[(at + left_.size() - 1) % left_.size()], left_[at],
                                  left_[(at + 1) % left_.size()]};
      if (is_ear(ear)) {
        triangles.push_back(ear);
        left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(at));
        without_ear = 0;
      } else {
        ++without_ear;
      }
      ++at;
    }
    append_fan(left_, triangles);
  }

 private:
  [[nodiscard]] bool is_ear(const CornerTriangle& ear) const {
    if (!(turn(flat_, ear) > 0)) return false;
    return std::ranges::none_of(left_, [&](std::uint32_t corner) {
      if (std::ranges::count(ear, corner) > 0) return false;
      const Eigen::Vector2d& point = flat_[corner];
      for (std::size_t i = 0; i < 3; ++i) {
        const Eigen::Vector2d &from = flat_[ear[i]], &to = flat_[ear[(i + 1) % 3]];
        if (point == from || cross(to - from, point - from) < 0) return false;  // a bridge to a hole names places twice
      }
      return true;
    });
  }

  const std::vector<Eigen::Vector2d>& flat_;
  std::vector<std::uint32_t> left_;
};

}  // namespace

void append_polygon(std::span<const Eigen::Vector3d> corners, std::vector<CornerTriangle>& triangles) {
  if (corners.size() == 3) return triangles.push_back({0, 1, 2});
  std::vector<std::uint32_t> order(corners.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const std::vector<Eigen::Vector2d> flat = flattened(corners);
  if (is_convex(flat)) return append_fan(order, triangles);
  if (corners.size() > kMostConcaveCorners) {
    throw InputError(
        fmt::format("a concave face with {} corners; expected at most {}", corners.size(), kMostConcaveCorners));
  }
  EarCutter(flat, std::move(order)).append_to(triangles);
}

}  // namespace p2mpp
