#include "backends/cpu/projection.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "model/network_layout.h"

namespace p2mpp {

static_assert(kMaxLookupViews >= static_cast<int>(kMaxViews));

Projection::Projection(const Kernels<float>& kernels, const ProjectionRules& rules,
                       std::span<const std::size_t> map_channels, bool mask_evidence)
    : kernels_(&kernels), rules_(rules), layout_(map_channels, mask_evidence) {}

void Projection::set_sample(const SampleCameras& cameras, std::vector<const FeatureMaps<float>*> maps,
                            const float* evidence) {
  evidence_ = evidence;
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

// Pools one point's evidence over the views: [max | mean | std].
void Projection::pool_evidence(const Lookups& lookups, std::size_t point, float* out) const {
  const auto views = static_cast<std::size_t>(lookups.views);
  const auto corners = static_cast<std::size_t>(lookups.corners);
  std::array<float, kMaxLookupViews> values{};
  for (std::size_t channel = 0; channel < kEvidenceChannels; ++channel) {
    float largest = -std::numeric_limits<float>::infinity();
    float sum = 0;
    for (std::size_t view = 0; view < views; ++view) {
      float value = 0;
      for (std::size_t corner = 0; corner < corners; ++corner) {
        const std::size_t at = (view * corners + corner) * lookups.stride + point;
        value += lookups.weight[at] * evidence_[static_cast<std::size_t>(lookups.offset[at]) + channel];
      }
      values[view] = value;
      largest = std::max(largest, value);
      sum += value;
    }
    const float mean = sum / static_cast<float>(views);
    float squares = 0;
    for (std::size_t view = 0; view < views; ++view) squares += (values[view] - mean) * (values[view] - mean);
    out[channel] = largest;
    out[kEvidenceChannels + channel] = mean;
    out[2 * kEvidenceChannels + channel] = std::sqrt(squares / static_cast<float>(views) + 1e-6F);
  }
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
  if (evidence_ == nullptr) return;
  constexpr int kSide = static_cast<int>(kImageSize);
  constexpr auto kPixelStep = static_cast<std::int32_t>(kEvidenceChannels);
  for (int view = 0; view < static_cast<int>(view_count); ++view) {
    const std::size_t first = static_cast<std::size_t>(view) * count;
    const MapGrid grid{.height = kSide,
                       .width = kSide,
                       .origin = view * kSide * kSide * kPixelStep,
                       .row_step = kSide * kPixelStep,
                       .column_step = kPixelStep,
                       .pixels_per_cell = 1};
    kernels_->find_corners(rules_.sampling, grid, scratch.rows.data() + first, scratch.columns.data() + first, count,
                           view, lookups);
  }
  for (std::size_t point = 0; point < count; ++point) {
    pool_evidence(lookups, point, out + point * out_stride + layout_.evidence_column());
  }
}

}  // namespace p2mpp
