#pragma once

#include <vector>

#include "backends/cpu/feature_maps.h"
#include "backends/cpu/graph_convolution.h"

namespace p2mpp::micro {

/// Drawn evenly from [-bound, bound], the same on every call.
[[nodiscard]] std::vector<float> random_values(std::size_t count, float bound = 1);

/// random_values() in memory that kernels may load from.
template <class Element>
[[nodiscard]] AlignedBuffer<Element> random_operands(std::size_t count);

/// Maps of random values with zeros around them.
template <class Element>
[[nodiscard]] FeatureMaps<Element> random_maps(int views, int side, std::size_t channels, std::size_t pixel_stride,
                                               int border_before, int border_after);

/// Random rows between graph convolutions. `channels` is a multiple of kChannelGroup.
template <class Element>
[[nodiscard]] States<Element> random_states(const Kernels<Element>& kernels, std::size_t rows, std::size_t channels);

/// The parameters of a graph convolution that keeps values in the range of what it is given.
class RandomGraphConvolution {
 public:
  RandomGraphConvolution(std::size_t in, std::size_t out);

  /// Valid while this object lives.
  [[nodiscard]] GraphConvolutionWeights weights() const { return {weight0_, weight1_, bias_}; }

 private:
  std::vector<float> weight0_, weight1_, bias_;
};

}  // namespace p2mpp::micro
