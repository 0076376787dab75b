#pragma once

#include <span>
#include <vector>

#include "ops/cpu/feature_maps.h"
#include "ops/cpu/graph_convolution.h"
#include "p2mpp/camera.h"

namespace p2mpp {

/// The columns of a projected point as the CPU's operations hold them: for each map [max | mean | std], each padded to
/// kChannelGroup, then x, y, z. The checkpoints' order is [xyz, max of all maps, mean of all, std of all].
class ProjectionLayout {
 public:
  ProjectionLayout() = default;
  explicit ProjectionLayout(std::span<const std::size_t> map_channels);

  [[nodiscard]] std::size_t width() const { return point_column() + 3; }
  [[nodiscard]] std::size_t map_column(std::size_t map) const { return map_columns_[map]; }
  [[nodiscard]] std::size_t point_column() const { return map_columns_.back(); }

  /// The checkpoint's column for each of ours; kNoColumn for padding.
  [[nodiscard]] std::span<const std::size_t> checkpoint_columns() const { return checkpoint_columns_; }
  [[nodiscard]] std::size_t checkpoint_width() const;

  /// Rows in the checkpoint's order; `rows` begin at their first map's column and are `stride` apart.
  [[nodiscard]] std::vector<float> in_checkpoint_order(const float* rows, std::size_t count, std::size_t stride) const;

 private:
  std::vector<std::size_t> map_columns_;  // and where they end
  std::vector<std::size_t> checkpoint_columns_;
};

/// How points are projected and maps are read.
struct ProjectionRules {
  Sampling sampling = Sampling::kBilinear;
  bool view_index_scaled = false;  ///< the view's index is divided by the map's scale, too (tf, design_b; stage 1)
  bool normalised_origin = false;  ///< R (p - o/|o|), z at most -0.1 (design_b; stage 2)
};

/// From the frame that points are given in (camera 0's, but for normalised_origin) to each camera's.
[[nodiscard]] std::vector<ViewTransform> view_transforms(std::span<const Camera> cameras, const ProjectionRules& rules);

/// Projects points into all views, samples the maps there and pools over the views; in fp32 in every precision.
class Projection {
 public:
  /// Room for the lookups of one thread.
  struct Scratch {
    AlignedBuffer<float> rows, columns;  // [view][point]
    AlignedBuffer<std::int32_t> offsets;
    AlignedBuffer<float> weights;
  };

  Projection(const Kernels<float>& kernels, const ProjectionRules& rules, std::span<const std::size_t> map_channels);

  [[nodiscard]] const ProjectionLayout& layout() const { return layout_; }

  /// What the next rows are made from; the maps must stay where they are.
  void set_sample(std::span<const Camera> cameras, std::vector<const FeatureMaps<float>*> maps);

  /// Points [count,3] -> rows of layout().width() columns, the rest of each row left alone.
  void run(const float* points, std::size_t count, Scratch& scratch, float* out, std::size_t out_stride) const;

 private:
  [[nodiscard]] MapGrid grid_of(const FeatureMaps<float>& maps, int view) const;

  const Kernels<float>* kernels_;
  ProjectionRules rules_;
  ProjectionLayout layout_;
  std::vector<ViewTransform> views_;
  std::vector<const FeatureMaps<float>*> maps_;
};

}  // namespace p2mpp
