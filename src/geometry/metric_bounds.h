#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "p2mpp/metrics.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Harmonic mean of precision and recall; 0 if both are 0.
[[nodiscard]] double f1_score(double precision, double recall);

/// A value and the number of points that have it.
struct WeightedValue {
  double value = 0;
  std::size_t count = 1;
};

/// The 0.9 quantile of the distances, with numpy.quantile's interpolation between ranks. Precondition: not empty.
[[nodiscard]] double distance_of_90_percent(std::vector<WeightedValue> distances);

/// Points [begin, end) of a CellHierarchy that share a cell. All lie within `radius` of `representative`, which is one
/// of them.
struct Cell {
  std::uint32_t begin = 0, end = 0;
  Eigen::Vector3f representative = Eigen::Vector3f::Zero();
  double radius = 0;

  [[nodiscard]] std::size_t count() const { return end - begin; }
};

/// Points in the cells of an octree. The side of a cell at level L is 2^-L times that of the cube around all points.
/// Thread-safe.
class CellHierarchy {
 public:
  static constexpr int kFinestLevel = 20;

  /// Precondition: at least one point, and all are finite.
  explicit CellHierarchy(std::span<const Eigen::Vector3f> points);

  /// The occupied cells of a level.
  [[nodiscard]] std::vector<Cell> cells(int level, int threads) const;

  /// The occupied cells of `level` inside the given cells of a coarser level, in their order.
  [[nodiscard]] std::vector<Cell> split(std::span<const Cell> coarser, int level, int threads) const;

 private:
  [[nodiscard]] Cell fitted(std::uint32_t begin, std::uint32_t end) const;

  Points points_;                     // sorted by code
  std::vector<std::uint64_t> codes_;  // Morton codes at the finest level
};

/// A closed interval that contains a metric's exact value.
struct Interval {
  double low = 0, high = 0;
  [[nodiscard]] double width() const { return high - low; }
};

/// Bounds of the results of compare_shapes(). Units as in ShapeMetrics.
struct MetricBounds {
  Interval chamfer_distance, f1_tau, f1_2tau, hausdorff_90;
  std::size_t predicted_cells = 0, truth_cells = 0;  ///< number of cells at the end
};

struct BoundOptions {
  double tolerance = 0.1;  ///< widths to reach: of CD and the Hausdorff distance relative, of F1 divided by 100
  int threads = 1;
};

/// Bounds of the metrics from a hierarchy of cells, refined until all are within the tolerance. The distance of a point
/// differs from that of its cell's representative by at most the cell's radius. With one cell per distinct point, the
/// bounds equal the exact values except for rounding. Throws what compare_shapes() throws.
[[nodiscard]] MetricBounds bound_shapes(std::span<const Eigen::Vector3f> predicted,
                                        std::span<const Eigen::Vector3f> truth, const BoundOptions& options = {});

}  // namespace p2mpp
