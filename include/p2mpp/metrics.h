#pragma once

#include <functional>
#include <limits>
#include <span>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// How far two point sets are apart, as Pixel2Mesh++ publishes it. Squared distances throughout but for hausdorff_90;
/// at tau = 1e-4 a point counts as found at 0.01 or less in the object's 0.57-scaled unit. F1 is 0 where precision and
/// recall are.
struct ShapeMetrics {
  double chamfer_distance = 0;  ///< mean squared distance predicted->truth plus truth->predicted
  double f1_tau = 0;            ///< per cent, at tau = 1e-4
  double f1_2tau = 0;           ///< per cent, at 2 tau = 2e-4
  double precision_tau = 0, recall_tau = 0, precision_2tau = 0, recall_2tau = 0;  ///< per cent
  double hausdorff_90 = 0;  ///< distance within which 90% of the points of either set have one of the other
  /// Mean |cosine| between the normals of a point and of its nearest neighbour, averaged over both ways; 1 is best. NaN
  /// where a set's normals are not known. Source: L. Mescheder et al., "Occupancy Networks", CVPR 2019.
  double normal_consistency = std::numeric_limits<double>::quiet_NaN();
};

inline constexpr double kTau = 1e-4;  ///< squared distance

/// Points of a surface and its normals there.
struct PointCloud {
  Points points;   ///< [N]
  Points normals;  ///< [N], unit length or zero; empty where they are not known
};

/// The nearest of some targets for each of some queries [Q]; among equally near ones, any.
struct Neighbours {
  std::vector<double> squared_distances;
  std::vector<std::uint32_t> indices;
};
/// What finds them: expects finite, non-empty targets.
using NeighbourFinder =
    std::function<Neighbours(std::span<const Eigen::Vector3f> queries, std::span<const Eigen::Vector3f> targets)>;

struct ComparisonOptions {
  int threads = 1;
  /// So many points of each set, drawn at random, are looked up in the whole other set: an estimate for clouds of many
  /// millions. 0, and for a set that has no more: all.
  std::size_t sampled = 0;
  std::uint64_t seed = 1;                ///< of `sampled`
  NeighbourFinder find_neighbours = {};  ///< where given, in place of the CPU's search
};

/// Exact nearest neighbours both ways. Throws InputError if either set is empty or has a non-finite coordinate.
[[nodiscard]] ShapeMetrics compare_shapes(const PointCloud& predicted, const PointCloud& truth,
                                          const ComparisonOptions& options = {});

/// A NeighbourFinder, but for the number of threads.
[[nodiscard]] Neighbours nearest_neighbours(std::span<const Eigen::Vector3f> queries,
                                            std::span<const Eigen::Vector3f> targets, int threads = 1);

/// Points uniform over the surface by area and their triangles' normals [count], the same for the same seed on every
/// machine. Throws InputError for a mesh whose area is not a positive finite number or with indices out of range.
[[nodiscard]] PointCloud sample_surface(const TriangleMesh& mesh, std::size_t count, std::uint64_t seed);

/// A mesh's vertices with its own normals, else with the mean of their triangles' normals by area (zero where that
/// vanishes), else, without triangles, with none. Expects indices in range.
[[nodiscard]] PointCloud vertex_cloud(const TriangleMesh& mesh);

}  // namespace p2mpp
