#include "eval/compared_pair.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <utility>

#include "geometry/neighbour_search.h"
#include "geometry/rigid3.h"

namespace p2mpp {
namespace {

void transform(TriangleMesh& mesh, const Similarity& similarity) {
  for (Eigen::Vector3f& vertex : mesh.vertices) vertex = similarity.transformed(vertex.cast<double>()).cast<float>();
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
      "--truth-scale 0.57 for ShapeNet's)",
      name, diagonal, kDiagonal);
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
  if (placement.align) {
    if (!boxes_overlap(pair.predicted.vertices, pair.truth.vertices)) {
      warn(describe_mismatch(pair.predicted.vertices, pair.truth.vertices) + "; aligned, they may be turned wrongly");
    }
    pair.alignment = align(pair.predicted.vertices, pair.truth.vertices, threads);
    transform(pair.predicted, pair.alignment->target_from_source);
  } else {
    warn(describe_mismatch(pair.predicted.vertices, pair.truth.vertices));
  }
  const std::string predicted_size = unusual_size("prediction", pair.predicted.vertices);
  warn(predicted_size.empty() ? unusual_size("truth", pair.truth.vertices) : predicted_size);
  return pair;
}

}  // namespace p2mpp
