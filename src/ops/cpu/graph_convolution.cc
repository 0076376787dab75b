#include "ops/cpu/graph_convolution.h"

#include <type_traits>

#include "ops/cpu/projection.h"

namespace p2mpp {
namespace {

std::vector<float> stacked(std::span<const float> above, std::span<const float> below) {
  std::vector<float> matrix(above.begin(), above.end());
  matrix.insert(matrix.end(), below.begin(), below.end());
  return matrix;
}

}  // namespace

std::vector<float> reordered_rows(std::span<const float> weight, std::size_t out,
                                  std::span<const std::size_t> checkpoint_columns) {
  std::vector<float> rows(checkpoint_columns.size() * out);
  for (std::size_t row = 0; row < checkpoint_columns.size(); ++row) {
    if (checkpoint_columns[row] == ProjectionLayout::kNoColumn) continue;
    std::ranges::copy(weight.subspan(checkpoint_columns[row] * out, out), rows.data() + row * out);
  }
  return rows;
}

Support::Support(const Eigen::SparseMatrix<float, Eigen::RowMajor>& matrix) {
  first_.push_back(0);
  for (Eigen::Index row = 0; row < matrix.outerSize(); ++row) {
    for (Eigen::SparseMatrix<float, Eigen::RowMajor>::InnerIterator entry(matrix, row); entry; ++entry) {
      column_.push_back(static_cast<std::int32_t>(entry.col()));
      weight_.push_back(entry.value());
    }
    first_.push_back(static_cast<std::int32_t>(column_.size()));
  }
}

template <class Element>
void States<Element>::reserve(std::size_t rows, std::size_t channels) {
  stride_ = padded_channels(channels);
  values_.reserve(rows * stride_);
  if constexpr (!std::is_same_v<Element, float>) rounded_.reserve(rows * stride_);
}

template <class Element>
const Element* States<Element>::operand(std::size_t row) const {
  if constexpr (std::is_same_v<Element, float>) {
    return values_.data() + row * stride_;
  } else {
    return rounded_.data() + row * stride_;
  }
}

template <class Element>
Element* States<Element>::rounded(std::size_t row) {
  if constexpr (std::is_same_v<Element, float>) {
    static_cast<void>(row);
    return nullptr;
  } else {
    return rounded_.data() + row * stride_;
  }
}

template <class Element>
GraphConvolution<Element>::GraphConvolution(const Kernels<Element>& kernels, std::span<const float> weight0,
                                            std::span<const float> weight1, std::span<const float> bias)
    : kernels_(&kernels), weights_(kernels, stacked(weight0, weight1), 2, bias.size()), bias_(padded(bias)) {}

template <class Element>
void GraphConvolution<Element>::run_tile(const States<Element>& x, std::size_t first, std::size_t count,
                                         const Element* neighbours, Activation activation, Residual residual,
                                         States<Element>& out) const {
  Product<Element> product = product_with(weights_);
  product.segments[0] = x.operand(first);
  product.segments[1] = neighbours;
  product.row_stride = x.stride();
  product.rows = static_cast<int>(count);
  product.bias = bias_.data();
  product.relu = activation == Activation::kRelu;
  product.residual = residual == Residual::kNone ? nullptr : out.row(first);
  product.scale = residual == Residual::kMean ? 0.5F : 1.0F;
  product.out_stride = out.stride();
  product.out_float = out.row(first);
  product.out_element = out.rounded(first);
  kernels_->multiply(product);
}

template class States<float>;
template class States<Bfloat16>;
template class GraphConvolution<float>;
template class GraphConvolution<Bfloat16>;

}  // namespace p2mpp
