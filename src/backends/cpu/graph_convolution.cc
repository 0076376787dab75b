#include "backends/cpu/graph_convolution.h"

#include <type_traits>

namespace p2mpp {

template <class Element>
void States<Element>::reserve(std::size_t rows, std::size_t channels) {
  stride_ = padded_channels(channels);
  values_.reserve(rows * stride_);
  const std::size_t read_rows = (rows + kLargestRowGroup - 1) / kLargestRowGroup * kLargestRowGroup;
  if constexpr (!std::is_same_v<Element, float>) rounded_.reserve(read_rows * stride_);
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
GraphConvolution<Element>::GraphConvolution(const Kernels<Element>& kernels, const GraphConvolutionWeights& weights,
                                            std::span<const std::size_t> checkpoint_columns)
    : kernels_(&kernels), bias_(padded(weights.bias)) {
  const std::size_t in = checkpoint_columns.empty() ? weights.in() : checkpoint_columns.size();
  weights_ = {kernels, 2, in, weights.out(), [&](std::size_t row, std::size_t out) {
                const auto& half = row < in ? weights.weight0 : weights.weight1;
                return weight_at(half, weights.out(), checkpoint_columns, row % in, out);
              }};
}

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
