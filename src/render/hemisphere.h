#pragma once

#include <Eigen/Core>
#include <cmath>
#include <vector>

namespace p2mpp {

/// Cosine-distributed directions around z [count], unit length. The set is fixed, so that pictures are deterministic.
/// Source: Hammersley points on the disc (van der Corput sequence, base 2), raised to the hemisphere (Malley).
[[nodiscard]] inline std::vector<Eigen::Vector3f> cosine_directions(std::size_t count) {
  std::vector<Eigen::Vector3f> directions;
  for (std::size_t i = 0; i < count; ++i) {
    double bits = 0, weight = 0.5;
    for (std::size_t rest = i; rest > 0; rest >>= 1, weight /= 2) bits += weight * static_cast<double>(rest & 1);
    const double radius = std::sqrt((static_cast<double>(i) + 0.5) / static_cast<double>(count));
    const double angle = 2 * 3.14159265358979323846 * bits;
    directions.emplace_back(static_cast<float>(radius * std::cos(angle)), static_cast<float>(radius * std::sin(angle)),
                            static_cast<float>(std::sqrt(1 - radius * radius)));
  }
  return directions;
}

/// A rotation that maps z to a unit normal. Source: T. Duff et al., "Building an Orthonormal Basis, Revisited", 2017.
[[nodiscard]] inline Eigen::Matrix3f basis_around(const Eigen::Vector3f& normal) {
  const float sign = std::copysign(1.0F, normal.z());
  const float a = -1 / (sign + normal.z());
  const float b = normal.x() * normal.y() * a;
  Eigen::Matrix3f basis;
  basis.col(0) << 1 + sign * normal.x() * normal.x() * a, sign * b, -sign * normal.x();
  basis.col(1) << b, sign + normal.y() * normal.y() * a, -normal.y();
  basis.col(2) = normal;
  return basis;
}

}  // namespace p2mpp
