#pragma once

#include <Eigen/Core>

#include "backends/cpu/packed_weights.h"
#include "backends/cpu/thread_pool.h"
#include "model/distance_weights.h"

namespace p2mpp {

/// Values of a grid's voxels, or of pictures [view, row, column], channels last. Axes may have a border of zeros, which
/// convolutions read as padding.
class GridValues {
 public:
  GridValues() = default;
  /// border: 0 or 1 on each axis.
  GridValues(const Eigen::Vector3i& counts, std::size_t channels, const Eigen::Vector3i& border = {0, 0, 0});

  [[nodiscard]] const Eigen::Vector3i& counts() const { return counts_; }
  [[nodiscard]] std::size_t channels() const { return channels_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }  ///< floats from one voxel to the next
  [[nodiscard]] std::size_t row_step() const {
    return static_cast<std::size_t>(counts_.z() + 2 * border_.z()) * stride_;
  }
  /// Index of a voxel's first channel.
  [[nodiscard]] std::size_t offset(int x, int y, int z) const;
  [[nodiscard]] float* at(int x, int y, int z) { return values_.data() + offset(x, y, z); }
  [[nodiscard]] const float* at(int x, int y, int z) const { return values_.data() + offset(x, y, z); }
  [[nodiscard]] const float* data() const { return values_.data(); }

 private:
  Eigen::Vector3i counts_ = Eigen::Vector3i::Zero(), border_ = Eigen::Vector3i::Zero();
  std::size_t channels_ = 0, stride_ = 0;
  AlignedBuffer<float> values_;
};

/// A convolution with padding by zeros, in fp32, as matrix products: the voxels under a row of the kernel are
/// contiguous.
class GridConvolution {
 public:
  GridConvolution(const Kernels<float>& kernels, const GridConvolutionWeights& weights);

  /// border: of the result. residual: added, of the result's layout; may be null. The input has a border where the
  /// kernel is 3.
  [[nodiscard]] GridValues run(const GridValues& input, bool relu, const Eigen::Vector3i& border,
                               const GridValues* residual, ThreadPool& pool) const;

 private:
  void run_line(const GridValues& input, int x, int y, Product<float> product, const GridValues* residual,
                GridValues& output) const;

  const Kernels<float>* kernels_;
  Eigen::Vector3i kernel_, stride_;
  std::size_t channels_;
  PackedWeights<float> weights_;
  AlignedBuffer<float> bias_;
};

/// A layer of rows of columns, in fp32.
class RowLayer {
 public:
  RowLayer(const Kernels<float>& kernels, const LayerWeights& weights);

  [[nodiscard]] std::size_t in_stride() const { return in_stride_; }
  [[nodiscard]] std::size_t out_stride() const { return bias_.size(); }

  /// rows: in_stride() floats apart; out: out_stride() floats apart. A thread that runs it is in a KernelSession.
  void run(const float* rows, std::size_t count, bool relu, float* out) const;

 private:
  const Kernels<float>* kernels_;
  std::size_t in_stride_;
  PackedWeights<float> weights_;
  AlignedBuffer<float> bias_;
};

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
