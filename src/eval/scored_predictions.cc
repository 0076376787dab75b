#include "eval/scored_predictions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Geometry>
#include <cmath>
#include <utility>

#include "base/table.h"
#include "geometry/foreign/placed_points.h"
#include "geometry/neighbour_search.h"
#include "geometry/rigid3.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/error.h"
#include "p2mpp/metrics.h"
#include "results/prediction_files.h"

namespace p2mpp {
namespace {

void transform(TriangleMesh& mesh, const Similarity& similarity) {
  std::vector<Eigen::Vector3d> points;
  points.reserve(mesh.vertices.size());
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    points.push_back(similarity.transformed(placed_vertex(mesh, i)));
  }
  PlacedPoints around_origin = placed(points);
  mesh.vertices = std::move(around_origin.points);
  mesh.origin = around_origin.origin;
  for (Eigen::Vector3f& normal : mesh.normals) normal = (similarity.rotation * normal.cast<double>()).cast<float>();
}

Similarity camera_from_truth(const PairPlacement& placement) {
  Similarity similarity;
  similarity.scale = placement.truth_scale;
  if (placement.truth_camera) {
    const Rigid3 pose = cam_from_world(*placement.truth_camera);
    similarity.rotation = pose.rotation;
    similarity.translation = pose.translation;
  }
  return similarity;
}

/// The reason why the metrics do not suit a shape. Empty if its box is about as large as an object's box in the world,
/// in any orientation.
std::string unusual_size(const char* name, const Points& points) {
  constexpr double kDiagonal = 0.57, kMost = 1.75;  // a cube's box grows by 1.73 if it is turned
  Eigen::AlignedBox3f box;
  for (const Eigen::Vector3f& point : points) box.extend(point);
  const double diagonal = box.diagonal().norm();
  if (diagonal > kDiagonal / kMost && diagonal < kDiagonal * kMost) return {};
  return fmt::format(
      "the {}'s bounding box has a diagonal of {:.3g}; CD and F1 are made for objects of {} (--frame camera0 or world, "
      "--truth-scale 0.57 for ShapeNet's): figures are in the files' unit, and F1 counts points within {:.2g}, "
      "{:.2g}% of this diagonal",
      name, diagonal, kDiagonal, std::sqrt(kTau), 100 * std::sqrt(kTau) / diagonal);
}

}  // namespace

ComparedPair align_pair(TriangleMesh predicted, TriangleMesh truth, const PairPlacement& placement, int threads) {
  check_points("predicted", predicted.vertices);
  check_points("truth", truth.vertices);
  ComparedPair pair{std::move(predicted), std::move(truth), {}, {}};
  const auto warn = [&](const std::string& warning) {
    if (!warning.empty()) pair.warnings.push_back(warning);
  };
  if (placement.truth_scale != 1 || placement.truth_camera) transform(pair.truth, camera_from_truth(placement));
  // Far from zero, the comparison keeps the digits around the truth.
  set_origin(pair.predicted, pair.truth.origin);
  if (placement.align) {
    if (!boxes_overlap(pair.predicted.vertices, pair.truth.vertices)) {
      warn(describe_mismatch(pair.predicted.vertices, pair.truth.vertices) + "; aligned, they may be turned wrongly");
    }
    pair.alignment = align(pair.predicted.vertices, pair.truth.vertices, threads);
    Similarity& found = pair.alignment->target_from_source;  // around the origin so far
    pair.predicted.origin.setZero();
    transform(pair.predicted, found);
    set_origin(pair.predicted, Eigen::Vector3d::Zero());
    pair.predicted.origin = pair.truth.origin;
    found.translation += pair.truth.origin - found.scale * (found.rotation * pair.truth.origin);
  } else {
    warn(describe_mismatch(pair.predicted.vertices, pair.truth.vertices));
  }
  const std::string predicted_size = unusual_size("prediction", pair.predicted.vertices);
  warn(predicted_size.empty() ? unusual_size("truth", pair.truth.vertices) : predicted_size);
  return pair;
}

namespace {

// Sets the scores and the warning.
void score(const std::filesystem::path& folder, const std::filesystem::path& truth_root, const ListEntry& entry,
           const PairPlacement& placement, const ComparisonOptions& options, ScoredPrediction& result) {
  if (!entry.problem.empty()) throw InputError(entry.problem);
  TriangleMesh predicted = read_mesh(find_prediction(folder, entry.id));
  TriangleMesh truth = read_mesh(find_ground_truth(truth_root, entry.id));
  const ComparedPair pair = align_pair(std::move(predicted), std::move(truth), placement, options.threads);
  result.scores = score_mesh(pair.predicted, pair.truth, options);
  result.warning = fmt::format("{}", fmt::join(pair.warnings, "; "));
}

}  // namespace

std::vector<ListEntry> list_predictions(const std::filesystem::path& folder) {
  std::vector<ListEntry> entries;
  for (const std::string& id : prediction_ids(folder)) entries.push_back(list_entry(id, entries.size() + 1));
  return entries;
}

std::vector<ScoredPrediction> score_predictions(const std::filesystem::path& folder,
                                                const std::filesystem::path& truth_root,
                                                std::span<const ListEntry> entries, const PairPlacement& placement,
                                                const ComparisonOptions& options,
                                                const std::function<void(const ScoredPrediction&)>& on_result) {
  std::vector<ScoredPrediction> results;
  for (const ListEntry& entry : entries) {
    ScoredPrediction result{.id = entry.id, .category = entry.category, .scores = {}, .problem = {}, .warning = {}};
    try {
      score(folder, truth_root, entry, placement, options, result);
    } catch (const std::bad_alloc&) {
      result.problem = "out of memory";
    } catch (const InputError& error) {
      result.problem = error.what();
    }
    on_result(result);
    results.push_back(std::move(result));
  }
  return results;
}

ScoreSummary summarize(std::span<const ScoredPrediction> predictions) {
  ScoreSummary summary;
  for (const ScoredPrediction& prediction : predictions) {
    if (prediction.scores) summary.add(prediction.category, *prediction.scores);
  }
  return summary;
}

std::string predictions_csv(std::span<const ScoredPrediction> predictions) {
  std::vector<std::string> header = {"id", "category", "problem"};
  for (std::string& name : score_columns()) header.push_back(std::move(name));
  std::string text = csv_line(header);
  for (const ScoredPrediction& prediction : predictions) {
    std::vector<std::string> row = {prediction.id, prediction.category, prediction.problem};
    if (prediction.scores) append_scores(*prediction.scores, row);
    row.resize(header.size());
    text += csv_line(row);
  }
  return text;
}

}  // namespace p2mpp
