#pragma once

#include <span>
#include <vector>

#include "backends/common/projection_layout.h"
#include "backends/common/support.h"
#include "backends/cpu/packed_weights.h"
#include "backends/cpu/thread_pool.h"
#include "model/network_weights.h"

namespace p2mpp {

/// What flows between graph convolutions: rows of `stride` floats, and the same rounded to Element where that is not
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

  /// The rows as a product reads them, and where it writes them rounded (null: nothing to round).
  [[nodiscard]] const Element* operand(std::size_t row) const;
  [[nodiscard]] Element* rounded(std::size_t row);

 private:
  std::size_t stride_ = 0;
  AlignedBuffer<float> values_;
  AlignedBuffer<Bfloat16> rounded_;
};

enum class Activation { kNone, kRelu };

/// What is added to a layer's output: what entered the layer before it lies there already.
enum class Residual { kNone, kSum, kMean };

/// A graph convolution computed as [x | T1 x] [W0; W1] + b: the neighbours are summed first, a tile of rows at a time,
/// so that the product's sums need only one way to memory, with bias, activation and residual on it.
template <class Element>
class GraphConvolution {
 public:
  /// checkpoint_columns: of the input, see weight_at().
  GraphConvolution(const Kernels<Element>& kernels, const GraphConvolutionWeights& weights,
                   std::span<const std::size_t> checkpoint_columns = {});

  /// Rows [first, first + count) of `out`, count at most Kernels::tile_rows, from `x` and, in `neighbours`, the same
  /// rows of T1 x.
  void run_tile(const States<Element>& x, std::size_t first, std::size_t count, const Element* neighbours,
                Activation activation, Residual residual, States<Element>& out) const;

  [[nodiscard]] std::size_t out_channels() const { return weights_.columns(); }

 private:
  const Kernels<Element>* kernels_;
  PackedWeights<Element> weights_;
  AlignedBuffer<float> bias_;
};

}  // namespace p2mpp
