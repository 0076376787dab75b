#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "capture/silhouette.h"

namespace p2mpp {

/// The visual hull as a field: about the distance to its surface, positive inside.
class HullField {
 public:
  /// The silhouettes must outlive this object. `allowance`: a point is inside if at most so many silhouettes say that
  /// it is not. `step`: the distance over which the field's slope is taken.
  HullField(std::span<const Silhouette> silhouettes, int allowance, double step);

  /// In the source's unit. Thread-safe.
  [[nodiscard]] float at(const Eigen::Vector3d& point) const;

  /// The point of the surface to which the field's slope leads; a point far from the surface comes nearer. Thread-safe.
  [[nodiscard]] Eigen::Vector3f onto(const Eigen::Vector3f& point) const;

 private:
  struct Decisive {
    double value = 0;       ///< of the field
    std::size_t which = 0;  ///< the silhouette that decides
  };
  [[nodiscard]] Decisive decisive(const Eigen::Vector3d& point) const;
  [[nodiscard]] static double distance(const Silhouette& silhouette, const Eigen::Vector3d& point);

  std::span<const Silhouette> silhouettes_;
  std::size_t allowance_;
  double step_;
};

}  // namespace p2mpp
