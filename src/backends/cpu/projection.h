#pragma once

#include <span>
#include <vector>

#include "backends/common/projection.h"
#include "backends/cpu/feature_maps.h"
#include "backends/cpu/graph_convolution.h"
#include "p2mpp/camera.h"

namespace p2mpp {

/// Projects points into all views, samples the feature maps there and pools over the views; fp32 in every precision.
class Projection {
 public:
  /// Buffers of one thread.
  struct Scratch {
    AlignedBuffer<float> rows, columns;  // [view][point]
    AlignedBuffer<std::int32_t> offsets;
    AlignedBuffer<float> weights;
  };

  Projection(const Kernels<float>& kernels, const ProjectionRules& rules, std::span<const std::size_t> map_channels,
             bool mask_evidence = false);

  [[nodiscard]] const ProjectionLayout& layout() const { return layout_; }

  /// Sets the cameras and maps that run() uses; the maps must outlive those calls. evidence: find_evidence() of every
  /// view, if the layout has it.
  void set_sample(const SampleCameras& cameras, std::vector<const FeatureMaps<float>*> maps,
                  const float* evidence = nullptr);

  /// Points [count,3] -> rows of layout().width() columns; leaves the rest of each row unchanged. Thread-safe if each
  /// thread has its own scratch and output.
  void run(const float* points, std::size_t count, Scratch& scratch, float* out, std::size_t out_stride) const;

 private:
  void pool_evidence(const Lookups& lookups, std::size_t point, float* out) const;
  [[nodiscard]] MapGrid grid_of(const FeatureMaps<float>& maps, int view) const;

  const Kernels<float>* kernels_;
  ProjectionRules rules_;
  ProjectionLayout layout_;
  std::vector<ViewTransform> views_;
  std::vector<const FeatureMaps<float>*> maps_;
  const float* evidence_ = nullptr;  // [view, 224, 224, kEvidenceChannels]
};

}  // namespace p2mpp
