#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "backends/common/kernel_layout.h"
#include "backends/common/preprocess.h"
#include "backends/common/projection.h"
#include "backends/self_check/draw.h"
#include "model/network_weights.h"
#include "model/sampling_rules.h"
#include "p2mpp/camera.h"
#include "p2mpp/metrics.h"

// Plain loops for preprocessing and nearest neighbours.

namespace p2mpp::plain {

/// preprocess() is bit-identical to cv2, which rounds positions to 1/2048 of a pixel and results to 8 bits.
inline constexpr double kPreprocessTolerance = 1.5 / 255;

inline constexpr std::size_t kPlane = 224 * 224;

/// The expected result of preprocess() in double precision: composited, resized bilinearly with half-pixel centres.
/// [3 or 4,224,224].
[[nodiscard]] std::vector<double> preprocess(const Image& image, const ImageRules& rules);

/// The largest relative error of the squared distances to the nearest target, by exhaustive search; infinite if an
/// index is out of range.
[[nodiscard]] double squared_distance_difference(const Neighbours& found, const Points& queries, const Points& targets);

/// Random colours; some pixels are transparent.
[[nodiscard]] Image drawn_image(Draw& draw, int width, int height);

/// Colours and greys around the one below which a pixel of an opaque image is the object's.
[[nodiscard]] Image drawn_opaque_image(Draw& draw, int width, int height);

/// Random points in a cube of side 1.
[[nodiscard]] Points drawn_cloud(Draw& draw, std::size_t count);

}  // namespace p2mpp::plain

// The network's operations as plain loops in double precision, written directly from their definitions and sharing no
// code with the kernels. The self-check, `p2mpp selftest` and the tests compare kernels with them.

namespace p2mpp::plain {

/// A feature map for each view: [views, side, side, channels].
struct Map {
  int side = 0;
  std::size_t channels = 0;
  std::vector<double> values;

  [[nodiscard]] double at(int view, int y, int x, std::size_t channel) const {
    const auto pixel = static_cast<std::size_t>((view * side + y) * side + x);
    return values[pixel * channels + channel];
  }
};

/// A row-major matrix.
struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;

  Matrix() = default;
  Matrix(std::size_t row_count, std::size_t column_count)
      : rows(row_count), columns(column_count), values(row_count * column_count) {}
  [[nodiscard]] double* row(std::size_t index) { return values.data() + index * columns; }
  [[nodiscard]] const double* row(std::size_t index) const { return values.data() + index * columns; }
};

[[nodiscard]] Matrix as_matrix(std::span<const float> values, std::size_t columns);

/// Convolution with TensorFlow's SAME padding, bias and ReLU. Without a bias, ReLU is omitted too.
[[nodiscard]] Map convolve(const Map& input, const ConvolutionWeights& weights);

/// x W; `weight` is row-major [x.columns, out].
[[nodiscard]] Matrix multiply(const Matrix& x, std::span<const float> weight);

/// T1 x.
[[nodiscard]] Matrix sum_neighbours(const SupportRows& support, const Matrix& x);

/// Appends the mean of each edge's end points; edges [count,2].
[[nodiscard]] Matrix unpool(Matrix x, std::span<const std::int32_t> edges);

/// x W0 + T1 (x W1) + b, without activation.
[[nodiscard]] Matrix convolve_graph(const Matrix& x, const GraphConvolutionWeights& weights,
                                    const SupportRows& support);

/// The use of the previous layer's input in a layer's output.
enum class Shortcut { kIgnored, kAdded, kAveraged };

/// Completes any layer of a block except the last: applies ReLU to its products, then combines them with `before`, the
/// input of the previous layer: averaged in stage 1, added in deformation reasoning.
[[nodiscard]] Matrix end_layer(Matrix products, const Matrix& before, Shortcut residual);

/// Projects points [count,3], samples the maps and pools over the views. Columns are in the checkpoints' order: [xyz,
/// max of all maps, mean of all, standard deviation of all].
[[nodiscard]] Matrix look_up(const ProjectionRules& rules, const SampleCameras& cameras, std::span<const Map> maps,
                             std::span<const float> points);

/// The roundings of a kernel inside a deformation reasoning block. Empty members do not round.
struct ReasoningRounding {
  std::function<double(std::size_t layer, std::size_t column, double value)> input = {};      ///< of a layer's input
  std::function<double(std::size_t layer, std::size_t channel, double value)> products = {};  ///< of x W1, before T1
  std::optional<SupportRows> support = {};  ///< T1 as rounded by the kernel, for all layers except the last
};

/// The softmax's input for one vertex, from the features [hypotheses, width] of its hypotheses. `support`: of the local
/// graph. `layers`: the last has one output channel.
[[nodiscard]] std::vector<double> scores(Matrix rows, std::span<const GraphConvolutionWeights> layers,
                                         const SupportRows& support, bool rectified,
                                         const ReasoningRounding& rounding = {});

/// Moves a vertex [3] by the softmax-weighted offset; offsets [hypotheses,3].
[[nodiscard]] std::array<double, 3> move(const float* vertex, std::span<const double> scores,
                                         std::span<const float> offsets);

}  // namespace p2mpp::plain
