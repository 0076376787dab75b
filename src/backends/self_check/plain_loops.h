#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "backends/common/support_rows.h"
#include "model/network_weights.h"
#include "model/sampling_rules.h"
#include "p2mpp/camera.h"

// The network's operations as plain loops in double precision, straight from their definitions: what kernels are
// compared with, by the self-check, by `p2mpp selftest` and by the tests. Nothing of the kernels is used here.

namespace p2mpp::plain {

/// A map of every view: [views, side, side, channels].
struct Map {
  int side = 0;
  std::size_t channels = 0;
  std::vector<double> values;

  [[nodiscard]] double at(int view, int y, int x, std::size_t channel) const {
    const auto pixel = static_cast<std::size_t>((view * side + y) * side + x);
    return values[pixel * channels + channel];
  }
};

/// Row-major.
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

/// TensorFlow's SAME convolution, bias and ReLU; without a bias neither.
[[nodiscard]] Map convolve(const Map& input, const ConvolutionWeights& weights);

/// x W [rows(weight), out]; `weight` is row-major.
[[nodiscard]] Matrix multiply(const Matrix& x, std::span<const float> weight);

/// T1 x.
[[nodiscard]] Matrix sum_neighbours(const SupportRows& support, const Matrix& x);

/// Appends the mean of both ends of each edge; edges [count,2].
[[nodiscard]] Matrix unpool(Matrix x, std::span<const std::int32_t> edges);

/// x W0 + T1 (x W1) + b, nothing after it.
[[nodiscard]] Matrix convolve_graph(const Matrix& x, const GraphConvolutionWeights& weights,
                                    const SupportRows& support);

/// What becomes of what entered the layer before.
enum class Before { kIgnored, kAdded, kAveraged };

/// A layer of a block, but the last, from its products: with ReLU, and where has_residual() says so, the mean with what
/// entered the layer before (stage 1) or that added (deformation reasoning).
[[nodiscard]] Matrix end_layer(Matrix products, const Matrix& before, Before what);

/// Points [count,3] projected, sampled and pooled over the views: [xyz, max of all maps, mean of all, standard
/// deviation of all], as the checkpoints have them.
[[nodiscard]] Matrix look_up(const ProjectionRules& rules, std::span<const Camera> cameras, std::span<const Map> maps,
                             std::span<const float> points);

/// How a kernel rounds on its way through a deformation reasoning block; each empty where it does not.
struct ReasoningRounding {
  std::function<double(std::size_t layer, std::size_t column, double value)> input = {};      ///< what enters a layer
  std::function<double(std::size_t layer, std::size_t channel, double value)> products = {};  ///< of x W1, before T1
  std::optional<SupportRows> support = {};  ///< T1 as layers but the last have it
};

/// What enters the softmax, from a vertex's hypotheses and their rows [hypotheses, width]. `support` is of the local
/// graph; `layers`: the last gives one channel.
[[nodiscard]] std::vector<double> scores(Matrix rows, std::span<const GraphConvolutionWeights> layers,
                                         const SupportRows& support, bool rectified,
                                         const ReasoningRounding& rounding = {});

/// The vertex [3] moved by the softmax-weighted offset; offsets [hypotheses,3].
[[nodiscard]] std::array<double, 3> move(const float* vertex, std::span<const double> scores,
                                         std::span<const float> offsets);

}  // namespace p2mpp::plain
