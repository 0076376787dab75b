#include "backends/cpu/grid_convolution.h"

#include <algorithm>

namespace p2mpp {
namespace {

/// A segment is a row of the kernel along z: its voxels, each with its channels padded to the voxel's stride.
PackedWeights<float> packed_rows(const Kernels<float>& kernels, const GridConvolutionWeights& weights) {
  const std::size_t stride = padded_channels(weights.in());
  const auto taps = static_cast<std::size_t>(weights.taps());
  const auto along = static_cast<std::size_t>(weights.kernel[2]);
  return {kernels, taps / along, along * stride, weights.layer.out(), [&](std::size_t row, std::size_t out) {
            const std::size_t in = row % stride;
            if (in >= weights.in()) return 0.0F;
            return weights.layer.weight[(out * weights.in() + in) * taps + row / stride];
          }};
}

}  // namespace

GridValues::GridValues(const Eigen::Vector3i& counts, std::size_t channels, const Eigen::Vector3i& border)
    : counts_(counts), border_(border), channels_(channels), stride_(padded_channels(channels)) {
  constexpr std::size_t kLargestStep = 2;  // voxels from a row of a product to the next
  const Eigen::Vector3i all = counts + 2 * border;
  values_ = AlignedBuffer<float>(
      (static_cast<std::size_t>(all.x()) * static_cast<std::size_t>(all.y()) * static_cast<std::size_t>(all.z()) +
       kLargestRowGroup * kLargestStep) *
      stride_);
}

std::size_t GridValues::offset(int x, int y, int z) const {
  const auto row = static_cast<std::size_t>((x + border_.x()) * (counts_.y() + 2 * border_.y()) + y + border_.y());
  return row * row_step() + static_cast<std::size_t>(z + border_.z()) * stride_;
}

GridConvolution::GridConvolution(const Kernels<float>& kernels, const GridConvolutionWeights& weights)
    : kernels_(&kernels),
      kernel_(weights.kernel[0], weights.kernel[1], weights.kernel[2]),
      channels_(weights.layer.out()),
      weights_(packed_rows(kernels, weights)),
      bias_(padded(weights.layer.bias)) {
  for (int axis = 0; axis < 3; ++axis) stride_[axis] = kernel_[axis] == 3 ? weights.stride : 1;
}

GridValues GridConvolution::run(const GridValues& input, bool relu, const Eigen::Vector3i& border,
                                const GridValues* residual, ThreadPool& pool) const {
  const Eigen::Vector3i counts = (input.counts() + stride_ - Eigen::Vector3i::Ones()).cwiseQuotient(stride_);
  GridValues output(counts, channels_, border);
  Product<float> product = product_with(weights_);
  product.row_stride = static_cast<std::size_t>(stride_.z()) * input.stride();
  product.bias = bias_.data();
  product.relu = relu;
  product.out_stride = output.stride();
  const std::size_t group_columns = weights_.columns_in_cache(kernels_->block_columns);
  const std::size_t groups = (weights_.columns() + group_columns - 1) / group_columns;
  const auto lines = static_cast<std::size_t>(counts.x() * counts.y());
  constexpr std::size_t kTasks = 8;  // of a thread: small enough that a delayed one does not delay the others
  const std::size_t wanted_tasks = kTasks * static_cast<std::size_t>(pool.thread_count());
  const std::size_t parts = std::clamp<std::size_t>(wanted_tasks / groups, 1, lines);
  pool.run(groups * parts, [&](std::size_t task, int) {
    const KernelSession session(*kernels_);
    Product<float> some = product;
    some.first_column = task / parts * group_columns;
    some.last_column = std::min(some.first_column + group_columns, weights_.columns());
    const std::size_t part = task % parts;
    for (std::size_t line = lines * part / parts; line < lines * (part + 1) / parts; ++line) {
      const auto x = static_cast<int>(line) / counts.y(), y = static_cast<int>(line) % counts.y();
      run_line(input, x, y, some, residual, output);
    }
  });
  return output;
}

void GridConvolution::run_line(const GridValues& input, int x, int y, Product<float> product,
                               const GridValues* residual, GridValues& output) const {
  const Eigen::Vector3i before = (kernel_ - Eigen::Vector3i::Ones()) / 2;
  const Tiles tiles(static_cast<std::size_t>(output.counts().z()), *kernels_);
  for (std::size_t tile = 0; tile < tiles.count; ++tile) {
    const auto z = static_cast<int>(tiles.begin(tile));
    product.rows = static_cast<int>(tiles.size(tile));
    int segment = 0;
    for (int i = 0; i < kernel_.x(); ++i) {
      for (int j = 0; j < kernel_.y(); ++j) {
        set_segment<float>(
            product, segment++,
            input.at(x * stride_.x() + i - before.x(), y * stride_.y() + j - before.y(), z * stride_.z() - before.z()),
            0);
      }
    }
    product.out_float = output.at(x, y, z);
    product.residual = residual != nullptr ? residual->at(x, y, z) : nullptr;
    kernels_->multiply(product);
  }
}

RowLayer::RowLayer(const Kernels<float>& kernels, const LayerWeights& weights)
    : kernels_(&kernels),
      in_stride_(padded_channels(weights.in())),
      weights_(kernels, 1, weights.in(), weights.out(),
               [&](std::size_t row, std::size_t out) { return weights.weight[out * weights.in() + row]; }),
      bias_(padded(weights.bias)) {}

void RowLayer::run(const float* rows, std::size_t count, bool relu, float* out) const {
  Product<float> product = product_with(weights_);
  product.row_stride = in_stride_;
  product.bias = bias_.data();
  product.relu = relu;
  product.out_stride = out_stride();
  const Tiles tiles(count, *kernels_);
  for (std::size_t tile = 0; tile < tiles.count; ++tile) {
    const std::size_t first = tiles.begin(tile);
    product.rows = static_cast<int>(tiles.size(tile));
    set_segment<float>(product, 0, rows + first * in_stride_, 0);
    product.out_float = out + first * out_stride();
    kernels_->multiply(product);
  }
}

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
