#pragma once

#include <span>

#include "backends/common/preprocess.h"
#include "backends/cuda/arithmetic.h"
#include "backends/cuda/device_runtime.h"
#include "backends/cuda/self_check/device_arrays.h"
#include "model/sampling_rules.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// The largest difference between preprocess() and the kernel, over both of its outputs (fp32 and the arithmetic's
/// element type) and, if there are masks, over their evidence. Must be 0.
[[nodiscard]] double preprocess_difference(DeviceRuntime& runtime, std::span<const Image> images,
                                           const ImageRules& rules, Arithmetic arithmetic);

}  // namespace p2mpp

// The results of a device's kernels for random problems. Every function throws Error if a launch fails.

namespace p2mpp {

/// The convolution kernel's output [images, output_side, output_side, out]. slices: see ConvolutionArguments. Throws
/// Error if the output's padding is not zero.
[[nodiscard]] std::vector<float> convolved_on(DeviceRuntime& runtime, const DrawnConvolution& drawn,
                                              Arithmetic arithmetic, int slices);

/// x W [rows, out] from the convolution kernel without bias; `weight` is [in, out]. Arithmetic: fp32 or bf16x3.
[[nodiscard]] std::vector<float> multiplied_on(DeviceRuntime& runtime, Arithmetic arithmetic, std::span<const float> x,
                                               std::span<const float> weight, std::size_t in);

/// How the layers of a block of graph convolutions are launched.
enum class GraphLaunch { kOneByOne, kTogether };

/// The last layer's output [samples, vertices, channels]. Arithmetic: fp32 or bf16x3.
[[nodiscard]] std::vector<float> graph_convolved_on(DeviceRuntime& runtime, const DrawnGraph& drawn,
                                                    Arithmetic arithmetic, GraphLaunch how);
/// Whether all thread blocks of these layers fit on the device at once.
[[nodiscard]] bool fits_together(const DeviceRuntime& runtime, const DrawnGraph& drawn);

/// A mesh level unpooled from a coarser one, with the inputs of the kernels around a block's inner layers.
struct DrawnLevel {
  DrawnLevel(Draw& draw, std::size_t coarse_count, std::size_t edge_count, std::size_t channel_count);

  [[nodiscard]] std::size_t count() const { return coarse + edges.size() / 2; }

  std::size_t coarse, channels;
  std::vector<std::int32_t> edges;
  DrawnSupport support;
  std::vector<float> hidden;       ///< [coarse, channels]
  std::vector<float> own, others;  ///< [coarse, channels], products of a first layer
  std::vector<float> bias;         ///< [channels]
  DrawnLayers to_coordinates;      ///< one layer with three columns
};

/// A first layer completed from unpooled products, [count, channels]: the kernel's result and the expected one.
[[nodiscard]] std::vector<float> combined_on(DeviceRuntime& runtime, const DrawnLevel& drawn);
[[nodiscard]] std::vector<double> expected_combined(const DrawnLevel& drawn);

/// The last layer's coordinates [coarse, 3] from `hidden`. Precondition: `drawn` has no edges.
[[nodiscard]] std::vector<float> coordinates_on(DeviceRuntime& runtime, const DrawnLevel& drawn);
[[nodiscard]] std::vector<double> expected_coordinates(const DrawnLevel& drawn);

/// The input rows of a block, [count, width + channels], with the hidden state last: points [coarse,3] and their
/// midpoints, projected and sampled.
[[nodiscard]] std::vector<float> projected_on(DeviceRuntime& runtime, const DrawnLevel& drawn,
                                              const ProjectionRules& rules, const DrawnViews& views,
                                              std::span<const float> points);
[[nodiscard]] std::vector<double> expected_projected(const DrawnLevel& drawn, const ProjectionRules& rules,
                                                     const DrawnViews& views, std::span<const float> points);

/// Uploads the maps in the kernels' layout. arithmetic: of their elements. `arrays` owns the memory.
[[nodiscard]] LookupArguments upload_views(DeviceArrays& arrays, Arithmetic arithmetic, const ProjectionRules& rules,
                                           const DrawnViews& views);

}  // namespace p2mpp
