#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "capture/silhouette.h"

namespace p2mpp {

/// The visual hull as a field: approximately the distance to its surface, positive inside.
class HullField {
 public:
  /// The silhouettes must outlive this object. `allowance`: as in CarvingOptions. `step`: the distance over which the
  /// field's gradient is computed.
  HullField(std::span<const Silhouette> silhouettes, int allowance, double step);

  /// In the source's unit. Thread-safe.
  [[nodiscard]] float at(const Eigen::Vector3d& point) const;

  /// Moves a point along the field's gradient onto the surface; a point far from it only comes nearer. Thread-safe.
  [[nodiscard]] Eigen::Vector3f onto(const Eigen::Vector3f& point) const;

 private:
  struct DecidingSilhouette {
    double value = 0;       ///< of the field
    std::size_t index = 0;  ///< of the silhouette
  };
  [[nodiscard]] DecidingSilhouette deciding_silhouette(const Eigen::Vector3d& point) const;
  [[nodiscard]] static double distance(const Silhouette& silhouette, const Eigen::Vector3d& point);

  std::span<const Silhouette> silhouettes_;
  std::size_t allowance_;
  double step_;
};

}  // namespace p2mpp
