#pragma once

#include "backends/common/preprocess.h"
#include "backends/cuda/self_check/device_arrays.h"

// What a device's kernels make of drawn problems. Each throws Error where a launch fails.

namespace p2mpp {

/// [images, output_side, output_side, out], by the kernel of an arithmetic. slices: see ConvolutionArguments.
/// Throws Error if the output's padding is not zero.
[[nodiscard]] std::vector<float> convolved_on(DeviceRuntime& runtime, const DrawnConvolution& drawn,
                                              Arithmetic arithmetic, int slices);

/// x W [rows, out] by the same kernel, which then adds no bias; `weight` is [in, out]. In fp32 or bf16x3.
[[nodiscard]] std::vector<float> multiplied_on(DeviceRuntime& runtime, Arithmetic arithmetic, std::span<const float> x,
                                               std::span<const float> weight, std::size_t in);

/// How layers of a block of graph convolutions are launched.
enum class GraphLaunch { kOneByOne, kTogether };

/// [samples, vertices, channels] after the last layer. Arithmetic: fp32 or bf16x3.
[[nodiscard]] std::vector<float> graph_convolved_on(DeviceRuntime& runtime, const DrawnGraph& drawn,
                                                    Arithmetic arithmetic, GraphLaunch how);
/// Whether the device takes all blocks of threads of these layers at once.
[[nodiscard]] bool fits_together(const DeviceRuntime& runtime, const DrawnGraph& drawn);

/// A level of a mesh that is unpooled from a coarser one, with what the kernels around a block's inner layers read.
struct DrawnLevel {
  DrawnLevel(Draw& draw, std::size_t coarse_count, std::size_t edge_count, std::size_t channel_count);

  [[nodiscard]] std::size_t count() const { return coarse + edges.size() / 2; }

  std::size_t coarse, channels;
  std::vector<std::int32_t> edges;
  DrawnSupport support;
  std::vector<float> hidden;       ///< [coarse, channels]
  std::vector<float> own, others;  ///< [coarse, channels], a first layer's products
  std::vector<float> bias;         ///< [channels]
  DrawnLayers to_coordinates;      ///< one layer, of three columns
};

/// The end of a first layer whose products are unpooled, [count, channels], and what is expected.
[[nodiscard]] std::vector<float> combined_on(DeviceRuntime& runtime, const DrawnLevel& drawn);
[[nodiscard]] std::vector<double> expected_combined(const DrawnLevel& drawn);

/// The coordinates [coarse, 3] that the last layer makes of `hidden`. `drawn` has no edges.
[[nodiscard]] std::vector<float> coordinates_on(DeviceRuntime& runtime, const DrawnLevel& drawn);
[[nodiscard]] std::vector<double> expected_coordinates(const DrawnLevel& drawn);

/// The rows [count, width + channels] that enter a block, the hidden state last: points [coarse,3] and their midpoints
/// projected and looked up.
[[nodiscard]] std::vector<float> projected_on(DeviceRuntime& runtime, const DrawnLevel& drawn,
                                              const ProjectionRules& rules, const DrawnViews& views,
                                              std::span<const float> points);
[[nodiscard]] std::vector<double> expected_projected(const DrawnLevel& drawn, const ProjectionRules& rules,
                                                     const DrawnViews& views, std::span<const float> points);

/// The maps as kernels read them; arithmetic: of their elements. Their storage is `arrays`.
[[nodiscard]] LookupArguments upload_views(DeviceArrays& arrays, Arithmetic arithmetic, const ProjectionRules& rules,
                                           const DrawnViews& views);

/// The largest difference between the planes that preprocess() and the kernel of an arithmetic give, for fp32 elements
/// and those of the arithmetic: 0, or something is wrong.
[[nodiscard]] double preprocess_difference(DeviceRuntime& runtime, std::span<const Image> images, AlphaRule rule,
                                           Arithmetic arithmetic);

}  // namespace p2mpp
