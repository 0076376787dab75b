#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "backends/cuda/numbers.h"
#include "backends/cuda/packed_weights.h"
#include "model/network_layout.h"

// Packs the weights of a deformation reasoning layer in fp8. Every operand is an eight-bit number times a scale. The
// layer's input has one scale. Each output channel has one, which W0 and W1 share because their products are added. See
// "FP8" in docs/gpu-kernel.md.

namespace p2mpp {

/// The scale for operands of magnitude `largest` at most; 1 if all are zero.
[[nodiscard]] inline float fp8_scale(float largest) { return largest > 0 ? largest / kLargestFloat8 : 1; }

/// The scales of one layer (any except the last), by channel.
struct Fp8Layer {
  std::vector<float> weight_scales;
  std::vector<float> units;  ///< units of the sums: the input's scale times the weights'

  /// The bias in units of the sums.
  [[nodiscard]] std::vector<float> bias_in_units(std::vector<float> bias) const {
    for (std::size_t channel = 0; channel < bias.size(); ++channel) bias[channel] /= units[channel];
    return bias;
  }
  /// Factors that convert the sums to the scale of the layer's output.
  [[nodiscard]] std::vector<float> gains(float output_scale) const {
    std::vector<float> gains = units;
    for (float& gain : gains) gain /= output_scale;
    return gains;
  }
};

/// The last layer's weights [hidden], given by channel, for an input with this scale and in the order in which the
/// input is stored.
[[nodiscard]] inline std::vector<float> fp8_last_weights(const std::vector<float>& by_channel, float scale) {
  std::vector<float> weights;
  for (std::size_t k = 0; k < by_channel.size(); ++k) {
    const int channel = channel_in_depth(Arithmetic::kFp8, static_cast<int>(k));
    weights.push_back(scale * by_channel[static_cast<std::size_t>(channel)]);
  }
  return weights;
}

/// Appends W1 and W0 to the Hopper kernel's weight stream. weight(other, channel, k) returns W1 (other) or W0 for an
/// output channel and the k-th input, zero in the padding. point_column of the first layer is the number of features.
/// The point and the evidence follow the features and go into a separate bf16 operand. For other layers point_column is
/// 0.
template <class Weight>
[[nodiscard]] Fp8Layer append_fp8_layer(const HopperLayout& layout, int hidden, int point_column, float input_scale,
                                        const Weight& weight, std::vector<std::uint32_t>& stream) {
  const bool first = point_column > 0;
  const int inputs = first ? point_column : hidden;
  Fp8Layer layer;
  for (int channel = 0; channel < hidden; ++channel) {
    float largest = 0;
    for (const bool other : {true, false}) {
      for (int k = 0; k < inputs; ++k) largest = std::max(largest, std::abs(weight(other, channel, k)));
    }
    layer.weight_scales.push_back(fp8_scale(largest));
    layer.units.push_back(layer.weight_scales.back() * input_scale);
  }
  for (const bool other : {true, false}) {
    const auto scaled = [&](int channel, int k) {
      const int input = first ? k : channel_in_depth(Arithmetic::kFp8, k);
      if (input >= inputs) return 0.0F;
      return weight(other, channel, input) / layer.weight_scales[static_cast<std::size_t>(channel)];
    };
    append_to_stream(Arithmetic::kFp8, hidden, 2 * (first ? layout.feature_depth : layout.state_depth), scaled, stream);
    if (!first) continue;
    const auto point = [&](int channel, int k) {
      if (k >= 3 + static_cast<int>(kEvidenceColumns)) return 0.0F;
      return weight(other, channel, point_column + k) / layer.units[static_cast<std::size_t>(channel)];
    };
    append_to_stream(Arithmetic::kBf16, hidden, layout.point_depth, point, stream);
  }
  return layer;
}

}  // namespace p2mpp
