#pragma once

#include <array>
#include <cmath>
#include <string_view>

#include "p2mpp/metrics.h"

namespace p2mpp {

inline constexpr std::size_t kSurfacePoints = 10'000;
inline constexpr std::uint64_t kSurfaceSeed = 1;

/// Metrics of a mesh compared with its ground truth, both in the frame of camera 0.
struct Scores {
  ShapeMetrics vertices;  ///< the mesh's vertices compared with the truth's points, as published
  /// The same with kSurfacePoints random points (fixed seed) on the mesh, and on the truth if it has triangles. All NaN
  /// if the prediction has no triangles.
  ShapeMetrics surface;
  ShapeMetrics coarse;  ///< the vertices after stage 1; all NaN if they are not known
};

/// Whether the metrics were computed, rather than being all NaN.
[[nodiscard]] inline bool is_defined(const ShapeMetrics& metrics) { return !std::isnan(metrics.chamfer_distance); }

/// `coarse`: stage 1's mesh, or empty. Throws InputError for a truth without
/// points, non-finite coordinates, or triangles without area. Thread-safe if `options.find_neighbours` is.
[[nodiscard]] Scores score_mesh(const TriangleMesh& predicted, const TriangleMesh& truth,
                                const ComparisonOptions& options = {}, const TriangleMesh& coarse = {});

/// A metric with its name in files ("chamfer_distance", "f1_tau", ...).
struct MetricField {
  std::string_view name;
  double ShapeMetrics::*value;
};
inline constexpr std::array kMetricFields = {
    MetricField{"chamfer_distance", &ShapeMetrics::chamfer_distance},
    MetricField{"f1_tau", &ShapeMetrics::f1_tau},
    MetricField{"precision_tau", &ShapeMetrics::precision_tau},
    MetricField{"recall_tau", &ShapeMetrics::recall_tau},
    MetricField{"f1_2tau", &ShapeMetrics::f1_2tau},
    MetricField{"precision_2tau", &ShapeMetrics::precision_2tau},
    MetricField{"recall_2tau", &ShapeMetrics::recall_2tau},
    MetricField{"hausdorff_90", &ShapeMetrics::hausdorff_90},
    MetricField{"normal_consistency", &ShapeMetrics::normal_consistency},
};

}  // namespace p2mpp
