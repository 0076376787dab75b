#pragma once

#include <functional>
#include <limits>
#include <span>

#include "p2mpp/export.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Distances between two point sets, as published by Pixel2Mesh++. All distances are squared except hausdorff_90: tau =
/// 1e-4 is a distance of 0.01 in ShapeNet's unit times 0.57. F1 is 0 if precision and recall are 0.
struct ShapeMetrics {
  double chamfer_distance = 0;  ///< mean squared distance predicted->truth plus truth->predicted
  double f1_tau = 0;            ///< per cent, at tau = 1e-4
  double f1_2tau = 0;           ///< per cent, at 2 tau = 2e-4
  double precision_tau = 0, recall_tau = 0, precision_2tau = 0, recall_2tau = 0;  ///< per cent
  double hausdorff_90 = 0;  ///< distance within which 90% of the points of either set have a neighbour in the other
  /// Mean |cosine| between the normals of a point and of its nearest neighbour, averaged over both directions; 1 is
  /// best. NaN if the normals of a set are unknown. Source: L. Mescheder et al., "Occupancy Networks", CVPR 2019.
  double normal_consistency = std::numeric_limits<double>::quiet_NaN();
};

inline constexpr double kTau = 1e-4;  ///< squared distance

/// Points of a surface, with normals.
struct PointCloud {
  Points points;   ///< [N]
  Points normals;  ///< [N], unit length or zero; empty if unknown
};

/// The nearest target of each query [Q]. If several are equally near, any of them.
struct Neighbours {
  std::vector<double> squared_distances;
  std::vector<std::uint32_t> indices;
};
/// A nearest-neighbour search. Precondition: targets are finite and not empty.
using NeighbourFinder =
    std::function<Neighbours(std::span<const Eigen::Vector3f> queries, std::span<const Eigen::Vector3f> targets)>;

struct ComparisonOptions {
  int threads = 1;
  /// Number of random points of each set that are looked up in the other set. This gives an estimate for clouds of many
  /// millions of points. 0: all points. A set with no more points than this is looked up completely.
  std::size_t sampled = 0;
  std::uint64_t seed = 1;                ///< of the random points of `sampled`
  NeighbourFinder find_neighbours = {};  ///< if set, replaces the CPU's search
};

/// Compares by exact nearest neighbours in both directions. Throws InputError if a set is empty or has a non-finite
/// coordinate. Thread-safe.
[[nodiscard]] P2MPP_EXPORT ShapeMetrics compare_shapes(const PointCloud& predicted, const PointCloud& truth,
                                                       const ComparisonOptions& options = {});

/// The CPU's exact search. Preconditions as for NeighbourFinder.
[[nodiscard]] P2MPP_EXPORT Neighbours nearest_neighbours(std::span<const Eigen::Vector3f> queries,
                                                         std::span<const Eigen::Vector3f> targets, int threads = 1);

/// Points distributed uniformly over the surface's area, with their triangles' normals [count]. The same seed gives the
/// same points on every machine. Throws InputError if the area is not a positive finite number or an index is out of
/// range.
[[nodiscard]] P2MPP_EXPORT PointCloud sample_surface(const TriangleMesh& mesh, std::size_t count, std::uint64_t seed);

/// A mesh's vertices with its normals. A mesh without normals gets area-weighted means of the triangles' normals (zero
/// if they cancel out). A mesh without triangles gets none. Precondition: indices in range.
[[nodiscard]] P2MPP_EXPORT PointCloud vertex_cloud(const TriangleMesh& mesh);

}  // namespace p2mpp
