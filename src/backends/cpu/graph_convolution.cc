#include "backends/cpu/graph_convolution.h"

#include <type_traits>

namespace p2mpp {

template <class Number>
void States<Number>::reserve(std::size_t rows, std::size_t channels) {
  stride_ = padded_channels(channels);
  values_.reserve(rows * stride_);
  if constexpr (!std::is_same_v<Number, float>) {
    const std::size_t read_rows = (rows + kLargestRowGroup - 1) / kLargestRowGroup * kLargestRowGroup;
    rest_ = Storage<Number>::kParts == 2 ? read_rows * stride_ : 0;
    rounded_.reserve(Storage<Number>::kParts * read_rows * stride_);
  }
}

template <class Number>
auto States<Number>::operand(std::size_t row) const -> const Element* {
  if constexpr (std::is_same_v<Number, float>) {
    return values_.data() + row * stride_;
  } else {
    return rounded_.data() + row * stride_;
  }
}

template <class Number>
auto States<Number>::rounded(std::size_t row) -> Element* {
  if constexpr (std::is_same_v<Number, float>) {
    static_cast<void>(row);
    return nullptr;
  } else {
    return rounded_.data() + row * stride_;
  }
}

template <class Number>
void States<Number>::round(const Kernels<Element>& kernels, std::size_t first, std::size_t count) {
  if constexpr (!std::is_same_v<Number, float>) kernels.round(row(first), count * stride_, rounded(first), rest_);
}

template <class Number>
void NeighbourSums<Number>::reserve(const Kernels<Element>& kernels, std::size_t stride) {
  const std::size_t elements = static_cast<std::size_t>(kernels.tile_rows) * stride;
  if (elements <= part_elements_) return;
  part_elements_ = elements;
  sums_ = AlignedBuffer<Element>(Storage<Number>::kParts * elements);
}

template <class Number>
void NeighbourSums<Number>::sum(const Kernels<Element>& kernels, const SupportRows& support, std::size_t first,
                                std::size_t count, const float* x, std::size_t stride, std::size_t row) {
  kernels.sum_neighbours(support, first, count, x, stride, stride, sums_.data() + row * stride, rest());
}

template <class Number>
GraphConvolution<Number>::GraphConvolution(const Kernels<Element>& kernels, const GraphConvolutionWeights& weights,
                                           std::span<const std::size_t> checkpoint_columns)
    : kernels_(&kernels), bias_(padded(weights.bias)) {
  const std::size_t in = checkpoint_columns.empty() ? weights.in() : checkpoint_columns.size();
  weights_ = {kernels, 2, in, weights.out(), [&](std::size_t row, std::size_t out) {
                const auto& half = row < in ? weights.weight0 : weights.weight1;
                return weight_at(half, weights.out(), checkpoint_columns, row % in, out);
              }};
}

template <class Number>
void GraphConvolution<Number>::run_tile(const States<Number>& x, std::size_t first, std::size_t count,
                                        const NeighbourSums<Number>& neighbours, Activation activation,
                                        Residual residual, States<Number>& out) const {
  Product<Element> product = product_with(weights_);
  set_segment<Number>(product, 0, x.operand(first), x.rest());
  set_segment<Number>(product, 1, neighbours.data(), neighbours.rest());
  product.row_stride = x.stride();
  product.rows = static_cast<int>(count);
  product.bias = bias_.data();
  product.relu = activation == Activation::kRelu;
  product.residual = residual == Residual::kNone ? nullptr : out.row(first);
  product.scale = residual == Residual::kMean ? 0.5F : 1.0F;
  product.out_stride = out.stride();
  product.out_float = out.row(first);
  product.out_element = out.rounded(first);
  product.out_rest = out.rest();
  kernels_->multiply(product);
}

template class States<float>;
template class States<Bfloat16>;
template class States<SplitFloat>;
template class NeighbourSums<float>;
template class NeighbourSums<Bfloat16>;
template class NeighbourSums<SplitFloat>;
template class GraphConvolution<float>;
template class GraphConvolution<Bfloat16>;
template class GraphConvolution<SplitFloat>;

}  // namespace p2mpp
