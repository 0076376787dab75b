#pragma once

#include <span>

#include "backends/common/projection.h"
#include "backends/common/support.h"
#include "backends/cpu/packed_weights.h"
#include "backends/cpu/thread_pool.h"
#include "model/network_weights.h"

namespace p2mpp {

/// The activations between graph convolutions: rows of `stride` floats, and a copy as operands if Number is not float.
/// Padding stays zero.
template <class Number>
class States {
 public:
  using Element = ElementOf<Number>;

  States() = default;
  States(std::size_t rows, std::size_t channels) { reserve(rows, channels); }

  void reserve(std::size_t rows, std::size_t channels);

  [[nodiscard]] std::size_t stride() const { return stride_; }
  [[nodiscard]] float* row(std::size_t row) { return values_.data() + row * stride_; }
  [[nodiscard]] const float* row(std::size_t row) const { return values_.data() + row * stride_; }

  /// operand(): a row as a matrix product reads it. rounded(): the row to write operands to; null if Number is float.
  [[nodiscard]] const Element* operand(std::size_t row) const;
  [[nodiscard]] Element* rounded(std::size_t row);
  /// Elements from an operand's first part to the second; 0 if it has one.
  [[nodiscard]] std::size_t rest() const { return rest_; }
  /// Rounds rows [first, first + count) to operands.
  void round(const Kernels<Element>& kernels, std::size_t first, std::size_t count);

 private:
  std::size_t stride_ = 0;
  std::size_t rest_ = 0;
  AlignedBuffer<float> values_;
  AlignedBuffer<Bfloat16> rounded_;
};

/// T1 x for one tile of rows, as operands.
template <class Number>
class NeighbourSums {
 public:
  using Element = ElementOf<Number>;

  void reserve(const Kernels<Element>& kernels, std::size_t stride);

  /// Computes rows [first, first + count) of support * x into the rows from `row` on.
  void sum(const Kernels<Element>& kernels, const SupportRows& support, std::size_t first, std::size_t count,
           const float* x, std::size_t stride, std::size_t row = 0);

  [[nodiscard]] const Element* data() const { return sums_.data(); }
  [[nodiscard]] std::size_t rest() const { return Storage<Number>::kParts == 2 ? part_elements_ : 0; }

 private:
  std::size_t part_elements_ = 0;
  AlignedBuffer<Element> sums_;
};

enum class Activation { kNone, kRelu };

/// The residual added to a layer's output. It is the input of the layer before it, which the output buffer still holds.
enum class Residual { kNone, kSum, kMean };

/// A graph convolution computed as [x | T1 x] [W0; W1] + b. The neighbours are summed first, one tile of rows at a
/// time, so that the product, bias, activation and residual need a single pass over memory.
template <class Number>
class GraphConvolution {
 public:
  using Element = ElementOf<Number>;

  /// checkpoint_columns: the input's columns; see weight_at().
  GraphConvolution(const Kernels<Element>& kernels, const GraphConvolutionWeights& weights,
                   std::span<const std::size_t> checkpoint_columns = {});

  /// Computes rows [first, first + count) of `out`; count <= Kernels::tile_rows. `neighbours` holds the same rows of
  /// T1 x.
  void run_tile(const States<Number>& x, std::size_t first, std::size_t count, const NeighbourSums<Number>& neighbours,
                Activation activation, Residual residual, States<Number>& out) const;

  [[nodiscard]] std::size_t out_channels() const { return weights_.columns(); }

 private:
  const Kernels<Element>* kernels_;
  PackedWeights<Number> weights_;
  AlignedBuffer<float> bias_;
};

}  // namespace p2mpp
