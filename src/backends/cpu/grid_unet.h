#pragma once

#include "backends/cpu/grid_convolution.h"
#include "model/distance_weights.h"

namespace p2mpp {

/// The distance network's U-Net of three levels, in fp32.
class GridUnet {
 public:
  GridUnet(const Kernels<float>& kernels, const UnetWeights& weights);

  /// The features of voxels whose counts are multiples of 4, before the last ReLU.
  [[nodiscard]] GridValues run(const GridValues& input, ThreadPool& pool) const;

 private:
  /// x + second(relu(first(relu(x)))).
  struct Residual {
    GridConvolution first, second;

    [[nodiscard]] GridValues run(const GridValues& x, ThreadPool& pool) const;
  };
  static Residual residual_of(const Kernels<float>& kernels, const ResidualWeights& weights);

  GridConvolution enter_, down1_, down2_, up1_, up0_;
  Residual top_before_, top_after_, middle_before_, middle_after_, bottom1_, bottom2_;
};

}  // namespace p2mpp
