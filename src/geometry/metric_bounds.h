#pragma once

#include "p2mpp/metrics.h"

namespace p2mpp {

/// A figure lies in [low, high].
struct Interval {
  double low = 0, high = 0;
  [[nodiscard]] double width() const { return high - low; }
};

/// What compare_shapes() would give, enclosed. Units as in ShapeMetrics.
struct MetricBounds {
  Interval chamfer_distance, f1_tau, f1_2tau, hausdorff_90;
  std::size_t predicted_cells = 0, truth_cells = 0;  ///< that stood for the points in the end
};

struct BoundOptions {
  double tolerance = 0.1;  ///< widths to be reached: of CD and the Hausdorff distance as a share, of F1 over 100
  int threads = 1;
};

/// Bounds of the metrics from a hierarchy of cells, coarse to fine, until all are within the tolerance: no point
/// further than a cell's radius from its representative can be nearer or farther than that by more than the radius.
/// With as many cells as there are distinct points, they meet the exact figures but for rounding. Throws what
/// compare_shapes() throws.
[[nodiscard]] MetricBounds bound_shapes(std::span<const Eigen::Vector3f> predicted,
                                        std::span<const Eigen::Vector3f> truth, const BoundOptions& options = {});

}  // namespace p2mpp
