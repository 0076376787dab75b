#include "engine/predicted_distances.h"

#include <algorithm>
#include <cmath>

#include "backends/common/preprocess.h"
#include "engine/distance_grid.h"
#include "geometry/distances/solid_distance.h"
#include "model/distance_weights.h"

namespace p2mpp {
namespace {

DistanceViews views_in(const Eigen::Matrix3d& frame_from_world, const Sample& sample) {
  constexpr ImageRules kRules{.alpha = AlphaRule::kBlendOnWhite, .channels = 4};
  constexpr std::size_t kPlanes = std::size_t{4} * kResizedSide * kResizedSide;
  DistanceViews views;
  views.images.resize(sample.views.size() * kPlanes);
  for (std::size_t i = 0; i < sample.views.size(); ++i) {
    const View& view = sample.views[i];
    preprocess(view.image, kRules, std::span(views.images).subspan(i * kPlanes, kPlanes));
    Camera camera = view.camera;
    camera.rotation = camera.rotation * frame_from_world.transpose();
    camera.origin = frame_from_world * camera.origin;
    views.cameras.push_back(camera);
  }
  return views;
}

}  // namespace

DistanceField predicted_distances(DistanceNetwork& network, const Sample& sample, const TriangleMesh& refined,
                                  int threads) {
  constexpr float kLeastLogError = -5, kMostLogError = 2;  // as in training
  const Eigen::Matrix3d frame_from_world = upright_frame(sample.views.front().camera.rotation);
  DistanceViews views = views_in(frame_from_world, sample);
  views.prior = distances_to_mesh(refined, kPriorHalf, kPriorVoxels, threads);
  views.prior.frame_from_world = frame_from_world.transpose();
  network.set_views(views);
  const VoxelGrid first = hull_grid(views, kCoarseVoxels / 2);
  const VoxelGrid grid = tightened(first, network.coarse(first).distances, kCoarseVoxels);
  NetworkDistances found = network.fine(grid, kFineFactor);
  drop_ghosts(grid.refined(kFineFactor), views.prior, grid.voxel / 2, found.distances);
  const auto unit = static_cast<float>(kDistanceUnit * grid.voxel);
  for (float& distance : found.distances) distance *= unit;
  for (float& error : found.log_errors) error = unit * std::exp(std::clamp(error, kLeastLogError, kMostLogError));
  return {grid.refined(kFineFactor), frame_from_world, std::move(found.distances), std::move(found.log_errors)};
}

}  // namespace p2mpp
