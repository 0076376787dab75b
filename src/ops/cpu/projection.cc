#include "ops/cpu/projection.h"

#include <Eigen/Core>
#include <limits>
#include <numeric>

namespace p2mpp {
namespace {

constexpr double kLargestDepthOfNormalised = -0.1;

ViewTransform transform(const Eigen::Matrix3d& rotation, const Eigen::Vector3d& translation, double largest_z) {
  ViewTransform view{};
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(view.rotation) = rotation;
  Eigen::Map<Eigen::Vector3d>(view.translation) = translation;
  view.largest_z = largest_z;
  return view;
}

}  // namespace

ProjectionLayout::ProjectionLayout(std::span<const std::size_t> map_channels) {
  const std::size_t all_channels = std::accumulate(map_channels.begin(), map_channels.end(), std::size_t{0});
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

std::vector<ViewTransform> view_transforms(std::span<const Camera> cameras, const ProjectionRules& rules) {
  std::vector<ViewTransform> views;
  for (const Camera& camera : cameras) {
    if (rules.normalised_origin) {
      views.push_back(
          transform(camera.rotation, camera.rotation * -camera.origin.normalized(), kLargestDepthOfNormalised));
    } else {
      views.push_back(transform(camera.rotation * cameras.front().rotation.transpose(),
                                camera.cam_from_world(cameras.front().origin),
                                std::numeric_limits<double>::infinity()));
    }
  }
  return views;
}

Projection::Projection(const Kernels<float>& kernels, const ProjectionRules& rules,
                       std::span<const std::size_t> map_channels)
    : kernels_(&kernels), rules_(rules), layout_(map_channels) {}

void Projection::set_sample(std::span<const Camera> cameras, std::vector<const FeatureMaps<float>*> maps) {
  views_ = view_transforms(cameras, rules_);
  maps_ = std::move(maps);
}

MapGrid Projection::grid_of(const FeatureMaps<float>& maps, int view) const {
  const float pixels_per_cell = static_cast<float>(kImageSize) / static_cast<float>(maps.side());
  const int source = rules_.view_index_scaled ? static_cast<int>(static_cast<float>(view) / pixels_per_cell) : view;
  return {.height = maps.side(),
          .width = maps.side(),
          .origin = static_cast<std::int32_t>(maps.offset(source, 0, 0)),
          .row_step = static_cast<std::int32_t>(maps.row_step()),
          .column_step = static_cast<std::int32_t>(maps.pixel_stride()),
          .pixels_per_cell = pixels_per_cell};
}

void Projection::run(const float* points, std::size_t count, Scratch& scratch, float* out,
                     std::size_t out_stride) const {
  const int corners = rules_.sampling == Sampling::kNearest ? 1 : kMaxCorners;
  const std::size_t view_count = views_.size();
  scratch.rows.reserve(view_count * count);
  scratch.columns.reserve(view_count * count);
  scratch.offsets.reserve(view_count * static_cast<std::size_t>(corners) * count);
  scratch.weights.reserve(view_count * static_cast<std::size_t>(corners) * count);
  for (std::size_t view = 0; view < view_count; ++view) {
    kernels_->project(views_[view], points, count, scratch.rows.data() + view * count,
                      scratch.columns.data() + view * count);
  }
  const Lookups lookups{.offset = scratch.offsets.data(),
                        .weight = scratch.weights.data(),
                        .views = static_cast<int>(view_count),
                        .corners = corners,
                        .stride = count};
  for (std::size_t map = 0; map < maps_.size(); ++map) {
    for (std::size_t view = 0; view < view_count; ++view) {
      kernels_->find_corners(rules_.sampling, grid_of(*maps_[map], static_cast<int>(view)),
                             scratch.rows.data() + view * count, scratch.columns.data() + view * count, count,
                             static_cast<int>(view), lookups);
    }
    kernels_->pool(maps_[map]->data(), lookups, count, maps_[map]->pixel_stride(), out + layout_.map_column(map),
                   out_stride);
  }
  for (std::size_t point = 0; point < count; ++point) {
    std::copy_n(points + 3 * point, 3, out + point * out_stride + layout_.point_column());
  }
}

}  // namespace p2mpp
