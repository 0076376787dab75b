#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eval/score_summary.h"
#include "geometry/alignment.h"
#include "io/test_list.h"
#include "p2mpp/camera.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The transformation of a prediction and its ground truth into one frame before the comparison. The default changes
/// nothing.
struct PairPlacement {
  double truth_scale = 1;              ///< the truth's coordinates are multiplied by this first: 0.57 for ShapeNet's
  std::optional<Camera> truth_camera;  ///< then they are transformed from the world's frame to this camera's
  bool align = false;                  ///< finally, the prediction is moved onto the truth by a similarity
};

/// Two shapes in one frame.
struct ComparedPair {
  TriangleMesh predicted, truth;
  std::optional<Alignment> alignment;  ///< what PairPlacement::align has found
  /// Why the metrics are probably meaningless: describe_mismatch() (if aligned, of boxes that did not overlap before),
  /// or a size for which their tolerances are not made.
  std::vector<std::string> warnings;
};

/// Applies a placement. Throws InputError as align() and check_points().
[[nodiscard]] ComparedPair align_pair(TriangleMesh predicted, TriangleMesh truth, const PairPlacement& placement,
                                      int threads);

/// The score of one prediction in a folder, or the reason why it has none.
struct ScoredPrediction {
  std::string id;
  std::string category;
  std::optional<Scores> scores;
  std::string problem;  ///< why it was not scored, one line; empty if it was
  std::string warning;  ///< why the score is probably meaningless, see ComparedPair::warnings; empty if it is not
};

/// An entry for each prediction in the folder. Throws InputError if there are none.
[[nodiscard]] std::vector<ListEntry> list_predictions(const std::filesystem::path& folder);

/// Compares the prediction of each entry, see find_prediction(), with its ground truth. The prediction may come from
/// `eval` or from another program. A sample that cannot be scored gets a problem, and the others continue. Calls
/// `on_result` after each sample.
[[nodiscard]] std::vector<ScoredPrediction> score_predictions(
    const std::filesystem::path& folder, const std::filesystem::path& truth_root, std::span<const ListEntry> entries,
    const PairPlacement& placement, const ComparisonOptions& options,
    const std::function<void(const ScoredPrediction&)>& on_result);

[[nodiscard]] ScoreSummary summarize(std::span<const ScoredPrediction> predictions);

/// A header, then a line for each prediction: id, category, problem and metrics.
[[nodiscard]] std::string predictions_csv(std::span<const ScoredPrediction> predictions);

}  // namespace p2mpp
