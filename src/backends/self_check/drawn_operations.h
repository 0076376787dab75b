#pragma once

#include <span>
#include <vector>

#include "backends/common/projection.h"
#include "backends/self_check/draw.h"
#include "backends/self_check/plain_loops.h"
#include "model/network_layout.h"

// Random problems of any size for single operations, with the results expected from plain loops. Device-independent.

namespace p2mpp {

/// Rounds a value to the precision of an operand.
using Rounding = float (*)(float);

[[nodiscard]] std::vector<float> rounded(const std::vector<float>& values, Rounding rounding);

struct ConvolutionSizes {
  int images, side;  ///< pixels
  std::size_t in, out;
  int kernel, stride;
};

struct DrawnConvolution {
  DrawnConvolution(Draw& draw, const ConvolutionSizes& drawn_sizes);

  [[nodiscard]] ConvolutionWeights weights() const { return {weight, bias, sizes.kernel, sizes.stride}; }
  [[nodiscard]] int output_side() const { return (sizes.side + sizes.stride - 1) / sizes.stride; }
  /// [images, output_side, output_side, out], computed from rounded operands.
  [[nodiscard]] std::vector<double> expected(Rounding rounding) const;

  ConvolutionSizes sizes;
  std::vector<float> pixels;  ///< [images, side, side, in]
  std::vector<float> weight;  ///< [out, in, kernel, kernel]
  std::vector<float> bias;    ///< [out]
};

/// A random sparse T1: a fixed number of random neighbours for each vertex.
struct DrawnSupport {
  DrawnSupport(Draw& draw, std::size_t vertices, std::size_t neighbours);

  [[nodiscard]] SupportRows rows() const { return {first.data(), column.data(), weight.data()}; }
  /// [vertices, vertices], row-major.
  [[nodiscard]] std::vector<float> dense() const;

  std::vector<std::int32_t> first = {0};
  std::vector<std::int32_t> column;
  std::vector<float> weight;
};

/// A chain of graph convolutions, with weights scaled so that values neither grow nor shrink.
struct DrawnLayers {
  /// widths: the first layer's input, then each layer's output.
  DrawnLayers(Draw& draw, std::span<const std::size_t> widths);

  [[nodiscard]] std::vector<GraphConvolutionWeights> layers() const;

  struct Layer {
    std::vector<float> weight0, weight1;  ///< [in, out]
    std::vector<float> bias;              ///< [out]
  };
  std::vector<Layer> values;
};

/// Inner layers of a stage 1 block: out = relu(x W0 + T1 x W1 + b). From the second layer on, every other layer
/// averages this with the input of the layer before it.
struct DrawnGraph {
  DrawnGraph(Draw& draw, std::size_t sample_count, std::size_t vertex_count, std::size_t channel_count,
             std::size_t layer_count);

  /// Whether layer `index` averages. The layers here follow a block's first layer.
  [[nodiscard]] static bool averages(std::size_t index) { return has_residual(index + 1); }
  /// The last layer's output [samples, vertices, channels].
  [[nodiscard]] std::vector<double> expected() const;

  std::size_t samples, vertices, channels;
  DrawnSupport support;
  DrawnLayers layers;
  std::vector<float> input;  ///< [samples, vertices, channels]
};

struct MapSizes {
  int side;  ///< pixels
  std::size_t channels;
};

/// A random pinhole near the world's origin that sees it: any roll, aimed a little beside it, fx != fy, the principal
/// point off the middle.
[[nodiscard]] Camera drawn_camera(Draw& draw, double nearest = 0.5, double farthest = 2);

/// kRows: cameras of rows, the network's frame is the first one's.
enum class DrawnCameras { kRows, kPinholes };

/// Random feature maps and random cameras.
struct DrawnViews {
  DrawnViews(Draw& draw, std::size_t view_count, std::span<const MapSizes> sizes, Rounding rounding,
             DrawnCameras kind = DrawnCameras::kPinholes);

  [[nodiscard]] std::vector<std::size_t> channels() const;

  SampleCameras cameras;
  std::vector<plain::Map> maps;
};

/// `count` points [count,3], most of them in view.
[[nodiscard]] std::vector<float> drawn_points(Draw& draw, std::size_t count);

struct ReasoningSizes {
  std::size_t vertices, hypotheses, hidden, layers, views;  ///< layers: including the last, which outputs the scores
  std::vector<MapSizes> maps;
  ProjectionRules rules = {};
  bool mask_evidence = false;  ///< the last map, of 224 pixels and kEvidenceChannels, takes the place of the evidence
};

/// The sizes with a map of evidence added to the others, and the rules of the models that read it.
[[nodiscard]] ReasoningSizes with_evidence(ReasoningSizes sizes);

/// A random deformation reasoning block.
struct DrawnReasoning {
  DrawnReasoning(Draw& draw, const ReasoningSizes& drawn_sizes, Rounding rounding_of_maps);

  /// The hypotheses of all vertices [vertices * hypotheses, 3].
  [[nodiscard]] std::vector<float> points() const;
  /// Their sampled features [vertices * hypotheses, 3 + 3 * channels].
  [[nodiscard]] plain::Matrix features() const;
  [[nodiscard]] ProjectionLayout layout() const;
  /// [vertices, hypotheses]
  [[nodiscard]] std::vector<double> scores(const plain::Matrix& features,
                                           const plain::ReasoningRounding& rounding = {}) const;
  /// Moved vertices [vertices, 3] for given scores [vertices, hypotheses].
  [[nodiscard]] std::vector<double> moved(std::span<const float> scores) const;

  ReasoningSizes sizes;
  DrawnViews views;
  DrawnSupport support;
  std::vector<float> offsets;   ///< [hypotheses, 3]
  std::vector<float> vertices;  ///< [vertices, 3]
  bool rectified;
  DrawnLayers layers;
};

}  // namespace p2mpp
