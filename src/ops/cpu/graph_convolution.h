#pragma once

#include <Eigen/SparseCore>
#include <span>
#include <vector>

#include "ops/cpu/packed_weights.h"
#include "ops/cpu/thread_pool.h"

namespace p2mpp {

/// x W0 + T1 (x W1) + b; T0 is the identity. Whoever owns the parameters may release them once they are packed.
struct GraphConvolutionWeights {
  std::span<const float> weight0;  ///< [in, out]
  std::span<const float> weight1;  ///< [in, out]
  std::span<const float> bias;     ///< [out]

  [[nodiscard]] std::size_t out() const { return bias.size(); }
  [[nodiscard]] std::size_t in() const { return weight0.size() / bias.size(); }
};

/// Where a layer's input has its columns in another order than the checkpoint, or padding between them: for each of its
/// columns the checkpoint's, or kNoColumn.
inline constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

/// One weight by the input's own column. `columns` as above; empty: those of the checkpoint.
[[nodiscard]] inline float weight_at(std::span<const float> weight, std::size_t out_channels,
                                     std::span<const std::size_t> columns, std::size_t in, std::size_t out) {
  const std::size_t row = columns.empty() ? in : columns[in];
  return row == kNoColumn ? 0.0F : weight[row * out_channels + out];
}

/// T1 as short lists of neighbours.
class Support {
 public:
  Support() = default;
  explicit Support(const Eigen::SparseMatrix<float, Eigen::RowMajor>& matrix);

  [[nodiscard]] SupportRows rows() const { return {first_.data(), column_.data(), weight_.data()}; }
  [[nodiscard]] std::size_t size() const { return first_.size() - 1; }

 private:
  std::vector<std::int32_t> first_;
  std::vector<std::int32_t> column_;
  std::vector<float> weight_;
};

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

/// Whether an inner layer of a block has one, counted from 0: from the third on every second.
[[nodiscard]] constexpr bool has_residual(std::size_t layer) { return layer >= 2 && layer % 2 == 0; }

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
