#pragma once

#include <span>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// How far two point sets are apart, as Pixel2Mesh++ publishes it. Squared distances throughout; at tau = 1e-4 a point
/// counts as found at 0.01 or less in the object's 0.57-scaled unit. F1 is 0 where precision and recall are.
struct ShapeMetrics {
  double chamfer_distance = 0;  ///< mean squared distance predicted->truth plus truth->predicted
  double f1_tau = 0;            ///< per cent, at tau = 1e-4
  double f1_2tau = 0;           ///< per cent, at 2 tau = 2e-4
  double precision_tau = 0, recall_tau = 0, precision_2tau = 0, recall_2tau = 0;  ///< per cent
};

inline constexpr double kTau = 1e-4;  ///< squared distance

/// Exact nearest neighbours both ways. Throws InputError if either set is empty or has a non-finite coordinate.
[[nodiscard]] ShapeMetrics compare_shapes(std::span<const Eigen::Vector3f> predicted,
                                          std::span<const Eigen::Vector3f> truth);

/// Squared distance of each query to its nearest neighbour among the targets [Q]. Expects finite, non-empty targets.
[[nodiscard]] std::vector<double> nearest_squared_distances(std::span<const Eigen::Vector3f> queries,
                                                            std::span<const Eigen::Vector3f> targets);

/// Points uniform over the surface by area [count], the same for the same seed on every machine. Throws InputError for
/// a mesh whose area is not a positive finite number or with indices out of range.
[[nodiscard]] Points sample_surface(const TriangleMesh& mesh, std::size_t count, std::uint64_t seed);

}  // namespace p2mpp
