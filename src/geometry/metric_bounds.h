#pragma once

#include "p2mpp/metrics.h"

namespace p2mpp {

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
