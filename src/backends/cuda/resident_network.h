#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/common/projection.h"
#include "backends/cuda/device_memory.h"
#include "backends/cuda/hopper_layout.h"
#include "model/model.h"
#include "model/network_weights.h"
#include "p2mpp/precision.h"

namespace p2mpp {

/// The arithmetics of a precision. Stage 1 outputs coordinates of the whole object, and tf32 would keep only three
/// digits of them. In every precision except fp32 it therefore computes with 16 bits of mantissa, at 1.5 times the cost
/// of tf32.
struct StageArithmetics {
  Arithmetic stage1, stage2;
  Arithmetic reasoning;  ///< in stage 2's deformation reasoning blocks
};
[[nodiscard]] StageArithmetics list_arithmetics(Precision precision);

/// A CNN layer on the device.
struct ResidentConvolution {
  DeviceConstants::Place<std::uint32_t> weights;
  DeviceConstants::Place<float> bias;
  int input_side, input_stride, output_side, output_stride;  ///< pixels; channels
  int kernel, stride, border_before;
  int pairs;  ///< pairs of tiles of output channels
};

/// A level of the template: T1, and the edges whose midpoints the next level appends.
struct ResidentLevel {
  int vertices;
  DeviceConstants::Place<std::int32_t> first, column;
  DeviceConstants::Place<float> weight;
  DeviceConstants::Place<std::int32_t> edges;
};

/// A block of stage 1's graph convolutions.
struct ResidentBlock {
  int input_stride;                                     ///< columns of the first layer's input
  int hidden_columns;                                   ///< of these, the columns of the hidden state, which come first
  DeviceConstants::Place<std::uint32_t> first_weights;  ///< [W0 | W1]
  DeviceConstants::Place<float> first_bias;
  struct Layer {
    DeviceConstants::Place<std::uint32_t> weights0, weights1;
    DeviceConstants::Place<float> bias;
  };
  std::vector<Layer> inner;
  DeviceConstants::Place<float> last_weights0, last_weights1;  ///< [3, hidden_stride]
  std::array<float, 3> last_bias;
};

/// A deformation reasoning block.
struct ResidentReasoning {
  std::vector<ResidentBlock::Layer> layers;          ///< all except the last
  std::vector<DeviceConstants::Place<float>> gains;  ///< fp8 only, by layer; see ReasoningArguments
  std::vector<float> residual_gains;
  float feature_gain = 1;
  DeviceConstants::Place<float> last_weights0, last_weights1;
  float last_bias;
  DeviceConstants::Place<std::uint32_t> weight_stream;  ///< for the Hopper kernel; replaces the layers' weights
};

/// The parts of a model that do not depend on the sample, on the device and in the layout of the kernels.
class ResidentNetwork {
 public:
  /// Throws InputError naming the file for weights of inconsistent shapes, UsageError for sizes that the kernels do not
  /// support.
  ResidentNetwork(DeviceRuntime& runtime, const Model& model, StageArithmetics arithmetics);

  StageArithmetics arithmetics;
  Semantics semantics;
  ImageRules image_rules;
  bool mask_evidence;  ///< stage 2 reads it
  std::vector<ResidentConvolution> cnn1, cnn2;
  ProjectionLayout layout1, layout2;
  DeviceConstants::Place<float> template_vertices;
  std::vector<ResidentLevel> levels;
  std::vector<ResidentBlock> blocks;
  int hidden_stride;    ///< padded channels of stage 1's hidden state
  int hidden_pairs;     ///< pairs of tiles of its channels
  int product_columns;  ///< W0's half of the first layer's products
  std::vector<ResidentReasoning> reasoning;
  bool use_hopper_kernel;  ///< the Hopper kernel computes the deformation reasoning blocks, not the portable one
  int hypotheses;
  int reasoning_features, reasoning_hidden;
  int reasoning_rows;  ///< hypothesis_rows()
  HopperLayout hopper_layout{};
  // For the portable kernel:
  ReasoningLayout reasoning_layout{};
  int vertex_threads = 0, vertices_per_block = 0;
  DeviceConstants::Place<float> offsets, local_support;
  DeviceConstants::Place<std::uint32_t> packed_support;  ///< in the layout of the kernel in use

  template <class T>
  [[nodiscard]] const T* pointer(DeviceConstants::Place<T> place) const {
    return constants_.pointer(place);
  }

  /// Bytes of device memory.
  [[nodiscard]] std::size_t bytes() const { return constants_.bytes(); }

 private:
  void add_cnn(const StageWeights& weights, Arithmetic arithmetic, std::vector<ResidentConvolution>& cnn);
  void add_levels(const MeshTemplate& mesh_template);
  void add_block(std::span<const GraphConvolutionWeights> layers);
  /// largest: fp8 only, the largest magnitude of each layer's input.
  void add_reasoning(std::span<const GraphConvolutionWeights> layers, std::span<const float> largest);
  void add_layers(std::span<const GraphConvolutionWeights> layers, ResidentReasoning& block);
  void add_fp8_layers(std::span<const GraphConvolutionWeights> layers, std::span<const float> largest,
                      ResidentReasoning& block);
  /// The checkpoint's row for each row of a reasoning block's layer.
  [[nodiscard]] std::vector<std::size_t> reasoning_columns(std::size_t index,
                                                           const GraphConvolutionWeights& layer) const;
  void add_local_graph(const Model& model);
  void check_limits(const Model& model) const;
  void choose_reasoning(DeviceRuntime& runtime, int channels);

  DeviceConstants constants_;
};

}  // namespace p2mpp
