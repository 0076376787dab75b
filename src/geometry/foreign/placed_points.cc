#include "geometry/foreign/placed_points.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace p2mpp {
namespace {

constexpr double kMostLost = 1.0 / (1 << 18);  ///< of the extent, by rounding to floats

/// What a float cannot hold of a number. A float that was written with nine digits loses nothing.
double lost_by_float(double number) {
  constexpr double kNineDigits = 2e-9;
  const double lost = std::abs(number - static_cast<double>(static_cast<float>(number)));
  return lost > kNineDigits * std::abs(number) ? lost : 0;
}

/// A power of two that is at least the extent: origins on such a grid have few digits.
double grid_step(double extent) { return std::exp2(std::ceil(std::log2(extent))); }

}  // namespace

PlacedPoints placed(std::span<const Eigen::Vector3d> points) {
  Eigen::AlignedBox3d box;
  double lost = 0;
  for (const Eigen::Vector3d& point : points) {
    box.extend(point);
    for (const double coordinate : point) lost = std::max(lost, lost_by_float(coordinate));
  }
  PlacedPoints result;
  const double extent = points.empty() ? 0 : box.sizes().maxCoeff();
  if (extent > 0 && lost > kMostLost * extent) {
    const double grid = grid_step(extent);
    result.origin = (box.center() / grid).array().round() * grid;
  }
  result.points.reserve(points.size());
  for (const Eigen::Vector3d& point : points) result.points.emplace_back((point - result.origin).cast<float>());
  return result;
}

void set_origin(TriangleMesh& mesh, const Eigen::Vector3d& origin) {
  if (mesh.origin == origin) return;
  const Eigen::Vector3d shift = mesh.origin - origin;
  for (Eigen::Vector3f& vertex : mesh.vertices) vertex = (vertex.cast<double>() + shift).cast<float>();
  mesh.origin = origin;
}

}  // namespace p2mpp
