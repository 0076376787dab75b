#include "backends/cpu/grid_unet.h"

#include <algorithm>

namespace p2mpp {
namespace {

/// max(x, 0) with a border of zeros.
GridValues activated(const GridValues& x) {
  GridValues result(x.counts(), x.channels(), Eigen::Vector3i::Ones());
  for (int i = 0; i < x.counts().x(); ++i) {
    for (int j = 0; j < x.counts().y(); ++j) {
      const float* from = x.at(i, j, 0);
      float* to = result.at(i, j, 0);
      for (std::size_t k = 0; k < static_cast<std::size_t>(x.counts().z()) * x.stride(); ++k) {
        to[k] = std::max(from[k], 0.0F);
      }
    }
  }
  return result;
}

/// Adds each voxel of `coarse` to the eight voxels in it.
void add_doubled(const GridValues& coarse, GridValues& x) {
  for (int i = 0; i < x.counts().x(); ++i) {
    for (int j = 0; j < x.counts().y(); ++j) {
      for (int k = 0; k < x.counts().z(); ++k) {
        const float* from = coarse.at(i / 2, j / 2, k / 2);
        float* to = x.at(i, j, k);
        for (std::size_t channel = 0; channel < x.stride(); ++channel) to[channel] += from[channel];
      }
    }
  }
}

}  // namespace

GridUnet::Residual GridUnet::residual_of(const Kernels<float>& kernels, const ResidualWeights& weights) {
  return {GridConvolution(kernels, weights.first), GridConvolution(kernels, weights.second)};
}

GridValues GridUnet::Residual::run(const GridValues& x, ThreadPool& pool) const {
  const GridValues hidden = first.run(activated(x), true, Eigen::Vector3i::Ones(), nullptr, pool);
  return second.run(hidden, false, Eigen::Vector3i::Zero(), &x, pool);
}

GridUnet::GridUnet(const Kernels<float>& kernels, const UnetWeights& weights)
    : enter_(kernels, weights.enter),
      down1_(kernels, weights.down1),
      down2_(kernels, weights.down2),
      up1_(kernels, weights.up1),
      up0_(kernels, weights.up0),
      top_before_(residual_of(kernels, weights.top_before)),
      top_after_(residual_of(kernels, weights.top_after)),
      middle_before_(residual_of(kernels, weights.middle_before)),
      middle_after_(residual_of(kernels, weights.middle_after)),
      bottom1_(residual_of(kernels, weights.bottom1)),
      bottom2_(residual_of(kernels, weights.bottom2)) {}

GridValues GridUnet::run(const GridValues& input, ThreadPool& pool) const {
  const auto convolved = [&pool](const GridConvolution& convolution, const GridValues& x) {
    return convolution.run(x, false, Eigen::Vector3i::Zero(), nullptr, pool);
  };
  GridValues top = top_before_.run(convolved(enter_, input), pool);
  GridValues middle = middle_before_.run(convolved(down1_, activated(top)), pool);
  const GridValues bottom = bottom2_.run(bottom1_.run(convolved(down2_, activated(middle)), pool), pool);
  add_doubled(convolved(up1_, bottom), middle);
  middle = middle_after_.run(middle, pool);
  add_doubled(convolved(up0_, middle), top);
  return top_after_.run(top, pool);
}

}  // namespace p2mpp
