#include "backends/common/projection.h"

#include <Eigen/Core>
#include <algorithm>
#include <limits>
#include <numeric>

#include "geometry/rigid3.h"
#include "model/network_layout.h"

namespace p2mpp {
namespace {

constexpr double kLargestDepthOfNormalised = -0.1;

ViewTransform make_transform(const Rigid3& cam_from_points, double largest_z, const Intrinsics& intrinsics) {
  ViewTransform view{};
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(view.rotation) = cam_from_points.rotation;
  Eigen::Map<Eigen::Vector3d>(view.translation) = cam_from_points.translation;
  view.largest_z = largest_z;
  view.fx = intrinsics.fx;
  view.fy = intrinsics.fy;
  view.cx = intrinsics.cx;
  view.cy = intrinsics.cy;
  return view;
}

}  // namespace

ProjectionLayout::ProjectionLayout(std::span<const std::size_t> map_channels, bool mask_evidence) {
  const std::size_t evidence_channels = mask_evidence ? kEvidenceChannels : 0;
  const std::size_t all_channels = std::accumulate(map_channels.begin(), map_channels.end(), evidence_channels);
  std::size_t column = 0;
  std::size_t channels_before = 0;
  for (const std::size_t channels : map_channels) {
    map_columns_.push_back(column);
    const std::size_t padded = padded_channels(channels);
    for (std::size_t statistic = 0; statistic < 3; ++statistic) {
      for (std::size_t channel = 0; channel < padded; ++channel) {
        const std::size_t source = 3 + statistic * all_channels + channels_before + channel;
        checkpoint_columns_.push_back(channel < channels ? source : kNoColumn);
      }
    }
    column += 3 * padded;
    channels_before += channels;
  }
  map_columns_.push_back(column);
  for (std::size_t axis = 0; axis < 3; ++axis) checkpoint_columns_.push_back(axis);
  for (std::size_t statistic = 0; statistic < 3; ++statistic) {
    for (std::size_t channel = 0; channel < evidence_channels; ++channel) {
      checkpoint_columns_.push_back(3 + statistic * all_channels + channels_before + channel);
    }
  }
}

std::size_t ProjectionLayout::checkpoint_width() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(checkpoint_columns_, [](std::size_t column) { return column != kNoColumn; }));
}

std::vector<float> ProjectionLayout::in_checkpoint_order(const float* rows, std::size_t count,
                                                         std::size_t stride) const {
  const std::size_t width = checkpoint_width();
  std::vector<float> result(count * width);
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t column = 0; column < checkpoint_columns_.size(); ++column) {
      if (checkpoint_columns_[column] == kNoColumn) continue;
      result[row * width + checkpoint_columns_[column]] = rows[row * stride + column];
    }
  }
  return result;
}

SampleCameras cameras_of(const Sample& sample, int stage) {
  SampleCameras cameras{.views = {}, .network = network_frame(sample)};
  for (std::size_t i = 0; i < views_read(sample, stage); ++i) cameras.views.push_back(sample.views[i].camera);
  return cameras;
}

Points initial_vertices(const Sample& sample) {
  Points vertices = sample.initial_mesh->vertices;
  const Camera& network = network_frame(sample);
  for (Eigen::Vector3f& vertex : vertices) vertex = network.cam_from_world(vertex.cast<double>()).cast<float>();
  return vertices;
}

std::vector<ViewTransform> view_transforms(const SampleCameras& cameras, const ProjectionRules& rules) {
  std::vector<ViewTransform> views;
  for (const Camera& camera : cameras.views) {
    if (rules.normalised_origin) {
      views.push_back(make_transform(rigid_from_centre(camera.rotation, camera.origin.normalized()),
                                     kLargestDepthOfNormalised, camera.intrinsics));
    } else {
      const Rigid3 cam_from_network{camera.rotation * cameras.network.rotation.transpose(),
                                    camera.cam_from_world(cameras.network.origin)};
      views.push_back(make_transform(cam_from_network, std::numeric_limits<double>::infinity(), camera.intrinsics));
    }
  }
  return views;
}

}  // namespace p2mpp
