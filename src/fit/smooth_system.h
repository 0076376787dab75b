#pragma once

#include <Eigen/Core>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "fit/fit_surface.h"

namespace p2mpp {

/// Targets for the displacement d of one vertex, as a quadratic form: d' weights d - 2 d' pull.
struct VertexPull {
  Eigen::Matrix3f weights = Eigen::Matrix3f::Zero();
  Eigen::Vector3f pull = Eigen::Vector3f::Zero();

  /// Adds the target weight (direction . d - distance)^2 and, with a share of the weight, the target 0 for the
  /// component of d perpendicular to the direction.
  /// direction: unit length.
  void add(float weight, const Eigen::Vector3f& direction, float distance, float share) {
    weights += weight * ((1 - share) * direction * direction.transpose() + share * Eigen::Matrix3f::Identity());
    pull += weight * distance * direction;
  }
};

/// Finds a smooth displacement that meets the targets. Minimises stiffness |L d|^2 + damping |d|^2 + the targets'
/// terms, where L is the uniform Laplacian with rows of sum 0 and diagonal 1. By conjugate gradients, preconditioned
/// with a factorisation that depends on the triangles alone. A large mesh moves as a coarser one does (CoarseLevel), so
/// that time and memory are linear in its vertices, and the distance over which a displacement is smooth is a share of
/// the mesh, not a number of its edges.
class SmoothSystem {
 public:
  SmoothSystem(const FitSurface& surface, float stiffness, float damping);
  ~SmoothSystem();
  SmoothSystem(SmoothSystem&&) noexcept;
  SmoothSystem& operator=(SmoothSystem&&) noexcept;

  /// pulls: [N]. Returns displacements [N]. Deterministic, thread-safe.
  [[nodiscard]] std::vector<Eigen::Vector3f> solve(const std::vector<VertexPull>& pulls) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Two systems of a surface, which must outlive them. Thread-safe. The soft one is factorised when it is first asked
/// for.
class SmoothSystems {
 public:
  SmoothSystems(const FitSurface& surface, float stiffness, float soft_stiffness, float damping)
      : surface_(surface), soft_stiffness_(soft_stiffness), damping_(damping), stiff_(surface, stiffness, damping) {}

  [[nodiscard]] const SmoothSystem& stiff() const { return stiff_; }
  [[nodiscard]] const SmoothSystem& soft() {
    std::call_once(once_, [this] { soft_.emplace(surface_, soft_stiffness_, damping_); });
    return *soft_;
  }

 private:
  const FitSurface& surface_;
  float soft_stiffness_, damping_;
  SmoothSystem stiff_;
  std::once_flag once_;
  std::optional<SmoothSystem> soft_;
};

}  // namespace p2mpp
