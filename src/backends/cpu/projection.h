#pragma once

#include <span>
#include <vector>

#include "backends/common/projection_layout.h"
#include "backends/common/view_transform.h"
#include "backends/cpu/feature_maps.h"
#include "backends/cpu/graph_convolution.h"
#include "p2mpp/camera.h"

namespace p2mpp {

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
