#pragma once

#include <span>
#include <vector>

#include "backends/common/projection.h"
#include "backends/common/support.h"
#include "backends/cpu/packed_weights.h"
#include "backends/cpu/thread_pool.h"
#include "model/network_weights.h"

namespace p2mpp {

/// The activations between graph convolutions: rows of `stride` floats, and a copy rounded to Element if Element is not
/// float. Padding stays zero.
template <class Element>
class States {
 public:
  States() = default;
  States(std::size_t rows, std::size_t channels) { reserve(rows, channels); }

  void reserve(std::size_t rows, std::size_t channels);

  [[nodiscard]] std::size_t stride() const { return stride_; }
  [[nodiscard]] float* row(std::size_t row) { return values_.data() + row * stride_; }
  [[nodiscard]] const float* row(std::size_t row) const { return values_.data() + row * stride_; }

  /// operand(): a row as a matrix product reads it. rounded(): the row to write rounded values to; null if Element is
  /// float.
  [[nodiscard]] const Element* operand(std::size_t row) const;
  [[nodiscard]] Element* rounded(std::size_t row);

 private:
  std::size_t stride_ = 0;
  AlignedBuffer<float> values_;
  AlignedBuffer<Bfloat16> rounded_;
};

enum class Activation { kNone, kRelu };

/// The residual added to a layer's output. It is the input of the layer before it, which the output buffer still holds.
enum class Residual { kNone, kSum, kMean };

/// A graph convolution computed as [x | T1 x] [W0; W1] + b. The neighbours are summed first, one tile of rows at a
/// time, so that the product, bias, activation and residual need a single pass over memory.
template <class Element>
class GraphConvolution {
 public:
  /// checkpoint_columns: the input's columns; see weight_at().
  GraphConvolution(const Kernels<Element>& kernels, const GraphConvolutionWeights& weights,
                   std::span<const std::size_t> checkpoint_columns = {});

  /// Computes rows [first, first + count) of `out`; count <= Kernels::tile_rows. `neighbours` holds the same rows of T1
  /// x.
  void run_tile(const States<Element>& x, std::size_t first, std::size_t count, const Element* neighbours,
                Activation activation, Residual residual, States<Element>& out) const;

  [[nodiscard]] std::size_t out_channels() const { return weights_.columns(); }

 private:
  const Kernels<Element>* kernels_;
  PackedWeights<Element> weights_;
  AlignedBuffer<float> bias_;
};

}  // namespace p2mpp
