#include "eval/compared_pair.h"

#include <utility>

#include "geometry/neighbour_search.h"

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
    similarity.rotation = placement.truth_camera->rotation;
    similarity.translation = placement.truth_camera->cam_from_world(Eigen::Vector3d::Zero());
  }
  return similarity;
}

}  // namespace

ComparedPair place(TriangleMesh predicted, TriangleMesh truth, const PairPlacement& placement, int threads) {
  check_points("predicted", predicted.vertices);
  check_points("truth", truth.vertices);
  ComparedPair pair{std::move(predicted), std::move(truth), {}, {}};
  if (placement.truth_scale != 1 || placement.truth_camera) transform(pair.truth, camera_from_truth(placement));
  if (placement.align) {
    pair.alignment = align(pair.predicted.vertices, pair.truth.vertices, threads);
    transform(pair.predicted, pair.alignment->target_from_source);
  } else {
    pair.mismatch = describe_mismatch(pair.predicted.vertices, pair.truth.vertices);
  }
  return pair;
}

}  // namespace p2mpp
