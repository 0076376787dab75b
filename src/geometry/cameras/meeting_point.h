#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

namespace p2mpp {

/// The line of sight of a camera.
struct SightLine {
  Eigen::Vector3d origin, direction;  ///< the direction has unit length
};

/// The point nearest to lines of sight. Lines that miss it count less: a wrong one does not move it. None if they all
/// have about the same direction.
[[nodiscard]] inline std::optional<Eigen::Vector3d> meeting_point(std::span<const SightLine> lines) {
  constexpr int kRounds = 12;
  constexpr double kUsualMiss = 0.02;  // relative to the distance
  constexpr double kParallel = 1e-9;   // determinant, relative to the trace's third power
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  std::vector<double> weights(lines.size(), 1.0);
  for (int round = 0; round < kRounds; ++round) {
    Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
    Eigen::Vector3d right = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const Eigen::Vector3d& along = lines[i].direction;
      const Eigen::Matrix3d across = weights[i] * (Eigen::Matrix3d::Identity() - along * along.transpose());
      sum += across;
      right += across * lines[i].origin;
    }
    if (sum.determinant() <= kParallel * std::pow(sum.trace(), 3)) return std::nullopt;
    point = sum.inverse() * right;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const Eigen::Vector3d offset = point - lines[i].origin;
      const double miss = offset.cross(lines[i].direction).norm() / std::max(offset.norm(), 1e-12);
      weights[i] = 1 / (kUsualMiss + miss);
    }
  }
  return point;
}

}  // namespace p2mpp
