#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/common/projection_layout.h"
#include "backends/cuda/device_memory.h"
#include "backends/cuda/hopper_layout.h"
#include "model/network_weights.h"
#include "p2mpp/model.h"
#include "p2mpp/precision.h"

namespace p2mpp {

/// The arithmetic of a precision. Stage 1 gives coordinates of the whole object, of which tf32 would keep three digits:
/// but for fp32 it computes with 16 bits of mantissa, at 1.5 times the cost of tf32.
struct StageArithmetics {
  Arithmetic stage1, stage2;
  Arithmetic reasoning;  ///< of stage 2's deformation reasoning blocks
};
[[nodiscard]] StageArithmetics arithmetics_of(Precision precision);

/// A layer of a CNN on the device.
struct ResidentConvolution {
  DeviceConstants::Place<std::uint32_t> weights;
  DeviceConstants::Place<float> bias;
  int input_side, input_stride, output_side, output_stride;  ///< pixels; channels
  int kernel, stride, border_before;
  int pairs;  ///< of tiles of output channels
};

/// A level of the template: T1 and the edges whose midpoints the next level appends.
struct ResidentLevel {
  int vertices;
  DeviceConstants::Place<std::int32_t> first, column;
  DeviceConstants::Place<float> weight;
  DeviceConstants::Place<std::int32_t> edges;
};

/// A block of stage 1's graph convolutions.
struct ResidentBlock {
  int input_stride;                                     ///< columns of the first layer's input
  int hidden_columns;                                   ///< of these, the hidden state's; they come first
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
  std::vector<ResidentBlock::Layer> layers;          ///< but the last
  std::vector<DeviceConstants::Place<float>> gains;  ///< in fp8, of the layers; see ReasoningArguments
  std::vector<float> residual_gains;
  float feature_gain = 1;
  DeviceConstants::Place<float> last_weights0, last_weights1;
  float last_bias;
  DeviceConstants::Place<std::uint32_t> weight_stream;  ///< for the Hopper kernel, instead of the layers' weights
};

/// All of a model that does not depend on the sample, on the device, as the kernels take it.
class ResidentNetwork {
 public:
  /// Throws InputError naming the file for weights that contradict each other, UsageError for sizes beyond what the
  /// kernels compute.
  ResidentNetwork(DeviceRuntime& runtime, const Model& model, StageArithmetics arithmetics);

  StageArithmetics arithmetics;
  Semantics semantics;
  std::vector<ResidentConvolution> cnn1, cnn2;
  ProjectionLayout layout1, layout2;
  DeviceConstants::Place<float> template_vertices;
  std::vector<ResidentLevel> levels;
  std::vector<ResidentBlock> blocks;
  int hidden_stride;    ///< channels of a hidden state of stage 1, padded
  int hidden_pairs;     ///< of tiles of its channels
  int product_columns;  ///< of W0's half of a first layer's products
  std::vector<ResidentReasoning> reasoning;
  bool use_hopper_kernel;  ///< which of the two kernels computes the deformation reasoning blocks
  int hypotheses;
  int reasoning_features, reasoning_hidden;
  int reasoning_rows;  ///< hypothesis_rows()
  HopperLayout hopper_layout{};
  // Of the portable kernel:
  ReasoningLayout reasoning_layout{};
  int vertex_threads = 0, vertices_per_block = 0;
  DeviceConstants::Place<float> offsets, local_support;
  DeviceConstants::Place<std::uint32_t> packed_support;  ///< as the kernel takes it

  template <class T>
  [[nodiscard]] const T* pointer(DeviceConstants::Place<T> place) const {
    return constants_.pointer(place);
  }

  /// Of the device's memory.
  [[nodiscard]] std::size_t bytes() const { return constants_.bytes(); }

 private:
  void add_cnn(const StageWeights& weights, Arithmetic arithmetic, std::vector<ResidentConvolution>& cnn);
  void add_levels(const MeshTemplate& mesh_template);
  void add_block(std::span<const GraphConvolutionWeights> layers);
  /// largest: in fp8, of each layer's input.
  void add_reasoning(std::span<const GraphConvolutionWeights> layers, std::span<const float> largest);
  void add_layers(std::span<const GraphConvolutionWeights> layers, ResidentReasoning& block);
  void add_fp8_layers(std::span<const GraphConvolutionWeights> layers, std::span<const float> largest,
                      ResidentReasoning& block);
  /// The checkpoint's row of a reasoning block's layer for each of ours.
  [[nodiscard]] std::vector<std::size_t> reasoning_columns(std::size_t index,
                                                           const GraphConvolutionWeights& layer) const;
  void add_local_graph(const Model& model);
  void check_limits(const Model& model) const;
  void choose_reasoning(DeviceRuntime& runtime, int channels);

  DeviceConstants constants_;
};

}  // namespace p2mpp
