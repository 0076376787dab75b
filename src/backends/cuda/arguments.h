#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/common/resize.h"
#include "backends/cuda/hopper_layout.h"
#include "model/sampling_rules.h"

// What the kernels are given. All pointers are to device memory. A batch of samples lies one after the other; features
// lie channels last, their channels padded with zeros to a multiple of kChannelGroup (backends/cpu/kernels.h).

namespace p2mpp {

inline constexpr int kMaxCudaMaps = 4;

/// An image as it was decoded.
struct SourceImage {
  std::size_t offset = 0;  ///< bytes, of its first pixel
  int width = 0, height = 0;
};

inline constexpr int kPixelStride = 16;  ///< channels of a CNN's input, from the fourth on zeros

/// preprocess() of [images] into two inputs of CNNs, [images, 224, 224, kPixelStride].
struct PreprocessArguments {
  const std::uint8_t* pixels;  ///< RGBA
  const SourceImage* images;   ///< [images]
  const Tap *rows, *columns;   ///< [images, 224]
  float* stage1;               ///< as float
  void* stage2;                ///< as the kernel's elements
  bool blend;                  ///< see composite()
};

/// Convolution, bias and ReLU with TensorFlow's SAME padding; or, with one column and a kernel of one pixel, the
/// product of any rows with a matrix. Steps of the depth (kernel rows, columns, channels) are cut into slices, which a
/// warp each sums up; in which order depends on the layer alone.
struct ConvolutionArguments {
  const void* input;             ///< [images, input_height, input_width, input_stride]
  void* output;                  ///< [images, output_height, output_width, output_stride]
  const std::uint32_t* weights;  ///< PackedWeights of kernel * kernel * input_stride rows
  const float* bias;             ///< [32 * pairs], or null: neither bias nor ReLU
  std::int64_t output_pixels;    ///< of all images
  int input_height, input_width, input_stride;
  int output_height, output_width, output_stride;
  int kernel, stride, border_before;  ///< pixels
  int slices;                         ///< 1, 2, 4 or 8
};

/// T1 of a mesh as short lists of neighbours, like SupportRows.
struct DeviceSupport {
  const std::int32_t* first;
  const std::int32_t* column;
  const float* weight;
};

/// A graph convolution of a block's inner layers, bias, ReLU and residual:
/// out = max(x W0 + T1 x W1 + b, 0), or with averages_before the mean of that and what lies in `output`.
struct GraphConvolutionArguments {
  const float* input;                        ///< [batch, vertices, stride]
  float* output;                             ///< the same; another buffer
  const std::uint32_t *weights0, *weights1;  ///< PackedWeights of `stride` rows
  const float* bias;                         ///< [32 * pairs]
  DeviceSupport support;
  int vertex_count, stride;
  bool averages_before;
};

/// The published sizes have up to 13 between a block's first layer and its last.
inline constexpr int kMostJoinedLayers = 16;

/// Layers of a block of graph convolutions in one launch. Where there are several, the blocks of threads of a sample
/// wait for each other between them, so all must run at the same time.
struct GraphLayersArguments {
  GraphConvolutionArguments layer;  ///< what the layers share
  float* states[2];                 ///< input and output of the first layer, which change places for each
  struct Layer {
    const std::uint32_t *weights0, *weights1;
    const float* bias;
    bool averages_before;
  } layers[kMostJoinedLayers];
  int layer_count;
  int tiles;                ///< blocks of threads of a sample
  std::uint32_t* arrivals;  ///< [samples], zeros at first
};

/// The end of a block's first layer, whose products own = x W0 and others = x W1 are known:
/// out = max(own + T1 others + b, 0). With edges, the products are of a coarser level and are unpooled here.
struct CombineArguments {
  const float* products;  ///< [batch, product_rows, 2 * padded]: own, then others
  float* output;          ///< [batch, vertices, stride]
  const float* bias;      ///< [stride]
  DeviceSupport support;
  const std::int32_t* edges;  ///< [vertex_count - product_rows, 2], or null: product_rows is vertex_count
  int vertex_count, product_rows, padded, stride;
};

/// The last layer of a block, which gives coordinates: x W0 + T1 x W1 + b for three columns.
struct CoordinatesArguments {
  const float* input;                ///< [batch, vertices, stride]
  float* output;                     ///< [batch, vertices, 3]
  const float *weights0, *weights1;  ///< [3, stride]
  float bias[3];
  DeviceSupport support;
  int vertex_count, stride;
};

/// One map that points are looked up in.
struct DeviceMap {
  const void* values;     ///< [batch, views, side, side, stride]
  int side, stride;       ///< pixels; channels
  float cells_per_pixel;  ///< side / 224
  int column;             ///< of the first maximum in a row of features, see ProjectionLayout
};

/// How points are projected and looked up.
struct LookupArguments {
  const ViewTransform* transforms;  ///< [batch, views]
  DeviceMap maps[kMaxCudaMaps];
  int map_count, views;
  Sampling sampling;
  bool view_index_scaled;
};

/// The rows that enter a block of stage 1: [hidden state | features as ProjectionLayout has them | zeros]. Vertices
/// beyond those of the coarser level are midpoints of edges, their hidden state the mean of both ends'.
struct ProjectionArguments {
  LookupArguments lookup;
  const float* coarse_vertices;  ///< [batch, coarse_count, 3], or, with shared_vertices, [coarse_count, 3]
  bool shared_vertices;
  const float* hidden;        ///< [batch, coarse_count, hidden_stride]; null where hidden_stride is 0
  const std::int32_t* edges;  ///< [vertex_count - coarse_count, 2]
  float* output;              ///< [batch, vertex_count, stride]
  int vertex_count, coarse_count, hidden_stride;
  int point_column;  ///< of x, y, z, from the row's start
  int stride;
};

inline constexpr int kMaxReasoningLayers = 8;  ///< but the last

/// A deformation reasoning block, by either of two kernels, on [batch * vertices] vertices, from the lookup to the new
/// position; see DeformationReasoning in backends/cpu.
struct ReasoningArguments {
  LookupArguments lookup;
  const float* vertices;  ///< [batch, vertices_per_sample, 3]
  float* moved;           ///< the same
  int vertex_count, vertices_per_sample;
  const float* offsets;  ///< [hypotheses, 3]
  int hypotheses;
  const std::uint32_t* support_fragments;  ///< packed_support()
  const float* support;                    ///< [hypotheses, hypotheses]
  struct Layer {
    const std::uint32_t *weights0, *weights1;  ///< PackedWeights
    const float* bias;                         ///< [hidden]
    const float* gain;                         ///< [hidden], fp8: see below
    float residual_gain;
  } layers[kMaxReasoningLayers];
  int layer_count;                             ///< but the last
  int features;                                ///< columns of a hypothesis's row, padded to a multiple of 16
  int point_column;                            ///< of x, y, z
  ReasoningLayout layout;                      ///< of the kernel's arithmetic
  int vertex_threads;                          ///< a warp for each reasoning_pairs() of the hidden channels
  int hidden;                                  ///< channels of a layer, padded to a multiple of 64
  const float *last_weights0, *last_weights1;  ///< [hidden]
  float last_bias;
  // In fp8 an operand is a number times its scale. Biases are in the layer's unit, the input's scale times the
  // channel's of the weights; a gain is that unit, a residual's gain the scale of what is added, in scales of the
  // output.
  float feature_gain;  ///< one over the features' scale
  // Of the Hopper kernel, which takes these instead of weights0 and weights1, support_fragments, layout,
  // vertex_threads:
  HopperLayout hopper;
  const std::uint32_t* weight_stream;    ///< append_to_stream() of all layers but the last
  const std::uint32_t* support_operand;  ///< pack_support_operand()
  bool rectified;                        ///< ReLU before the softmax
  float* traced_features;                ///< [vertex_count, hypotheses, features], or null
  float* traced_scores;                  ///< [vertex_count, hypotheses], or null
};

/// The nearest target of each query, in double precision; of several, the first.
struct NearestArguments {
  const float* queries;  ///< [query_count, 3]
  const float* targets;  ///< [target_count, 3]
  double* squared_distances;
  std::uint32_t* indices;
  int query_count, target_count;
};

}  // namespace p2mpp
