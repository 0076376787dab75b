#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/common/mask_evidence.h"
#include "backends/common/resize.h"
#include "backends/cuda/hopper_layout.h"
#include "model/sampling_rules.h"

// The arguments of the kernels. All pointers are to device memory. The samples of a batch are contiguous. Features are
// stored channels last, zero-padded to a multiple of kChannelGroup channels (backends/common/kernel_layout.h).

namespace p2mpp {

inline constexpr int kMaxCudaMaps = 4;

/// A decoded image.
struct SourceImage {
  std::size_t offset = 0;  ///< bytes to its first pixel
  int width = 0, height = 0;
  MaskSource mask = MaskSource::kNone;
  int stage1 = -1, stage2 = -1;  ///< its place among the images of a stage; -1: the stage does not read it
};

inline constexpr int kPixelStride =
    16;  ///< channels of a CNN's input; beyond the network's three or four they are zero

/// Runs preprocess() on [images] and writes the input of both CNNs, [images of the stage, 224, 224, kPixelStride].
struct PreprocessArguments {
  const std::uint8_t* pixels;  ///< RGBA
  const SourceImage* images;   ///< [images]
  const Tap *rows, *columns;   ///< [images, 224]
  float* stage1;               ///< in float
  void* stage2;                ///< in the kernel's element type
  std::uint8_t* masks;         ///< stage 2's, [images of the stage, 224, 224]; null if it does not read their evidence
  bool blend;                  ///< see composite()
};

/// Computes find_evidence() of [images] in two launches, first all rows, then all columns.
struct EvidenceArguments {
  const std::uint8_t* masks;  ///< [images, 224, 224]; null: the rows are known
  RowDistance* rows;          ///< [images, 224, 224]
  float* evidence;            ///< [images, 224, 224, kEvidenceChannels]
};

/// Convolution, bias and ReLU with TensorFlow's SAME padding. 1x1 images and a 1x1 kernel multiply rows by a matrix.
/// The depth (kernel rows, columns, channels) is split into slices, one per warp. The order of summation depends only
/// on the layer.
struct ConvolutionArguments {
  const void* input;             ///< [images, input_height, input_width, input_stride]
  void* output;                  ///< [images, output_height, output_width, output_stride]
  const std::uint32_t* weights;  ///< PackedWeights with kernel * kernel * input_stride rows
  const float* bias;             ///< [32 * pairs]; if null, there is no bias and no ReLU
  std::int64_t output_pixels;    ///< in all images
  int input_height, input_width, input_stride;
  int output_height, output_width, output_stride;
  int kernel, stride, border_before;  ///< pixels
  int slices;                         ///< 1, 2, 4 or 8
};

/// A mesh's T1 in compressed sparse rows, like SupportRows.
struct DeviceSupport {
  const std::int32_t* first;
  const std::int32_t* column;
  const float* weight;
};

/// One inner layer of a block of graph convolutions, with bias, ReLU and residual: out = max(x W0 + T1 x W1 + b, 0),
/// averaged with the old contents of `output` if averages_before is set.
struct GraphConvolutionArguments {
  const float* input;                        ///< [batch, vertices, stride]
  float* output;                             ///< same shape; must be another buffer
  const std::uint32_t *weights0, *weights1;  ///< PackedWeights with `stride` rows
  const float* bias;                         ///< [32 * pairs]
  DeviceSupport support;
  int vertex_count, stride;
  bool averages_before;
};

/// The published sizes have at most 13 layers between a block's first and last one.
inline constexpr int kMostJoinedLayers = 16;

/// One or more inner layers of a block in one launch. If there are several, a sample's thread blocks synchronise
/// between layers, so all of them must be resident at the same time.
struct GraphLayersArguments {
  GraphConvolutionArguments layer;  ///< the fields that all layers share
  float* states[2];                 ///< input and output of the first layer; they swap after each layer
  struct Layer {
    const std::uint32_t *weights0, *weights1;
    const float* bias;
    bool averages_before;
  } layers[kMostJoinedLayers];
  int layer_count;
  int tiles;                ///< thread blocks per sample
  std::uint32_t* arrivals;  ///< [samples], initially zero
};

/// Completes a block's first layer, whose products own = x W0 and others = x W1 are known: out = max(own + T1 others +
/// b, 0). If `edges` is set, the products are of the coarser level and are unpooled here.
struct CombineArguments {
  const float* products;  ///< [batch, product_rows, 2 * padded]: own, then others
  float* output;          ///< [batch, vertices, stride]
  const float* bias;      ///< [stride]
  DeviceSupport support;
  const std::int32_t* edges;  ///< [vertex_count - product_rows, 2]; null if product_rows is vertex_count
  int vertex_count, product_rows, padded, stride;
};

/// The last layer of a block, which outputs coordinates: x W0 + T1 x W1 + b with three columns.
struct CoordinatesArguments {
  const float* input;                ///< [batch, vertices, stride]
  float* output;                     ///< [batch, vertices, 3]
  const float *weights0, *weights1;  ///< [3, stride]
  float bias[3];
  DeviceSupport support;
  int vertex_count, stride;
};

/// A feature map that points are sampled from.
struct DeviceMap {
  const void* values;     ///< [batch, views, side, side, stride]
  int side, stride;       ///< pixels; channels
  float cells_per_pixel;  ///< side / 224
  int column;             ///< column of its first maximum in a row of features; see ProjectionLayout
};

/// The rules for projecting and sampling points.
struct LookupArguments {
  const ViewTransform* transforms;  ///< [batch, views]
  DeviceMap maps[kMaxCudaMaps];
  int map_count, views;
  Sampling sampling;
  bool view_index_scaled;
};

/// The input rows of a stage 1 block: [hidden state | features in ProjectionLayout's order | zeros]. Vertices beyond
/// those of the coarser level are midpoints of edges; their hidden state is the mean of both ends'.
struct ProjectionArguments {
  LookupArguments lookup;
  const float* coarse_vertices;  ///< [batch, coarse_count, 3]; [coarse_count, 3] if shared_vertices
  bool shared_vertices;
  const float* hidden;        ///< [batch, coarse_count, hidden_stride]; null if hidden_stride is 0
  const std::int32_t* edges;  ///< [vertex_count - coarse_count, 2]
  float* output;              ///< [batch, vertex_count, stride]
  int vertex_count, coarse_count, hidden_stride;
  int point_column;  ///< of x, y, z, counted from the row's start
  int stride;
};

inline constexpr int kMaxReasoningLayers = 8;  ///< not counting the last

/// A deformation reasoning block on [batch * vertices] vertices, from sampling to the new positions; see
/// DeformationReasoning in backends/cpu. The portable kernel and the Hopper kernel both take these arguments.
struct ReasoningArguments {
  LookupArguments lookup;
  const float* vertices;  ///< [batch, vertices_per_sample, 3]
  float* moved;           ///< same shape
  int vertex_count, vertices_per_sample;
  const float* offsets;  ///< [hypotheses, 3]
  int hypotheses;
  const std::uint32_t* support_fragments;  ///< packed_support()
  const float* support;                    ///< [hypotheses, hypotheses]
  struct Layer {
    const std::uint32_t *weights0, *weights1;  ///< PackedWeights
    const float* bias;                         ///< [hidden]
    const float* gain;                         ///< [hidden], fp8 only: see below
    float residual_gain;
  } layers[kMaxReasoningLayers];
  int layer_count;                             ///< not counting the last
  int features;                                ///< columns of a hypothesis's features, padded to a multiple of 16
  int point_column;                            ///< of x, y, z; the evidence follows
  const float* evidence;                       ///< [batch, views, 224, 224, kEvidenceChannels]; null if not read
  ReasoningLayout layout;                      ///< of the kernel's arithmetic
  int vertex_threads;                          ///< one warp per reasoning_pairs() of the hidden channels
  int hidden;                                  ///< channels of a layer, padded to a multiple of 64
  const float *last_weights0, *last_weights1;  ///< [hidden]
  float last_bias;
  // fp8: a stored operand times its scale is the value. Sums and biases are in units of the input's scale times the
  // weights' scale of the channel. `gain` converts sums to the output's scale; residual_gain converts the residual from
  // its own scale to the output's.
  float feature_gain;  ///< 1 / the features' scale
  // For the Hopper kernel, instead of weights0, weights1, support_fragments, layout and vertex_threads:
  HopperLayout hopper;
  const std::uint32_t* weight_stream;    ///< append_to_stream() for all layers except the last
  const std::uint32_t* support_operand;  ///< pack_support_operand()
  bool rectified;                        ///< ReLU before the softmax
  float* traced_features;                ///< [vertex_count, hypotheses, features]; may be null
  float* traced_scores;                  ///< [vertex_count, hypotheses]; may be null
};

/// The nearest target of each query, computed in double precision; of equally near targets, the first.
struct NearestArguments {
  const float* queries;  ///< [query_count, 3]
  const float* targets;  ///< [target_count, 3]
  double* squared_distances;
  std::uint32_t* indices;
  int query_count, target_count;
};

}  // namespace p2mpp
