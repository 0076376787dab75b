#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "backends/common/kernel_layout.h"
#include "model/sampling_rules.h"
#include "p2mpp/camera.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// A layer's input may have its columns in a different order than the checkpoint, or padding between them. A list of
/// columns then gives the checkpoint's column for each input column, or kNoColumn for padding.
inline constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

/// The weight of input column `in`. `columns` is a list as above; if it is empty, the order is the checkpoint's.
[[nodiscard]] inline float weight_at(std::span<const float> weight, std::size_t out_channels,
                                     std::span<const std::size_t> columns, std::size_t in, std::size_t out) {
  const std::size_t row = columns.empty() ? in : columns[in];
  return row == kNoColumn ? 0.0F : weight[row * out_channels + out];
}

/// The column order of a projected point in the CPU kernels: [max | mean | std] for each map, each padded to
/// kChannelGroup, then x, y, z, then [max | mean | std] of the mask's evidence if the stage reads it. The checkpoints'
/// order is [xyz, max of all maps, mean of all, std of all], in which the evidence is the last map.
class ProjectionLayout {
 public:
  ProjectionLayout() = default;
  explicit ProjectionLayout(std::span<const std::size_t> map_channels, bool mask_evidence = false);

  [[nodiscard]] std::size_t width() const { return checkpoint_columns_.size(); }
  [[nodiscard]] std::size_t map_column(std::size_t map) const { return map_columns_[map]; }
  [[nodiscard]] std::size_t point_column() const { return map_columns_.back(); }
  [[nodiscard]] std::size_t evidence_column() const { return point_column() + 3; }

  /// The checkpoint's column for each column of this layout; kNoColumn for padding.
  [[nodiscard]] std::span<const std::size_t> checkpoint_columns() const { return checkpoint_columns_; }
  [[nodiscard]] std::size_t checkpoint_width() const;

  /// Copies rows into the checkpoint's order. `rows` points to this layout's column 0 in the first row; rows are
  /// `stride` floats apart.
  [[nodiscard]] std::vector<float> in_checkpoint_order(const float* rows, std::size_t count, std::size_t stride) const;

 private:
  std::vector<std::size_t> map_columns_;  // first column of each map, then the end of the last
  std::vector<std::size_t> checkpoint_columns_;
};

/// The cameras that a stage reads.
struct SampleCameras {
  std::vector<Camera> views;
  Camera network;  ///< the frame of the network's points
};

[[nodiscard]] SampleCameras cameras_of(const Sample& sample, int stage);

/// The vertices of a sample's initial mesh in the network's frame. Precondition: it has one.
[[nodiscard]] Points initial_vertices(const Sample& sample);

/// Transforms from the frame of the points (the network's; with normalised_origin they are taken as they are) to each
/// view's camera.
[[nodiscard]] std::vector<ViewTransform> view_transforms(const SampleCameras& cameras, const ProjectionRules& rules);

}  // namespace p2mpp
