#pragma once

#include <Eigen/Core>

namespace p2mpp {

/// b = scale * rotation * a + translation. Inverses and products: src/geometry/similarity.h.
struct Similarity {
  double scale = 1;  ///< > 0
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
  Eigen::Vector3d translation = Eigen::Vector3d::Zero();

  [[nodiscard]] Eigen::Vector3d transformed(const Eigen::Vector3d& point) const {
    return scale * (rotation * point) + translation;
  }
};

}  // namespace p2mpp
