#pragma once

#include <span>
#include <vector>

#include "backends/cpu/feature_maps.h"
#include "backends/cpu/packed_weights.h"
#include "backends/cpu/thread_pool.h"
#include "model/network_layout.h"
#include "model/network_weights.h"

namespace p2mpp {

/// Convolution, bias and ReLU with TensorFlow's SAME padding: ceil(side / stride) pixels come out, and the odd pixel of
/// padding lies at the right and the bottom. Computed as products: the pixels under one row of the kernel lie side by
/// side in memory, so the rows of an image are the rows of a matrix that need not be made.
template <class Element>
class Convolution {
 public:
  Convolution(const Kernels<Element>& kernels, const ConvolutionWeights& weights, int input_side,
              std::size_t input_pixel_stride);

  [[nodiscard]] std::size_t channels() const { return channels_; }
  [[nodiscard]] int output_side() const { return output_side_; }
  /// Pixels of zeros that it reads around its input.
  [[nodiscard]] int border_before() const { return border_before_; }
  [[nodiscard]] int border_after() const { return border_after_; }

  /// exact: the same as `output` before rounding, for a map that is read by a projection; null: not wanted.
  void run(const FeatureMaps<Element>& input, int views, FeatureMaps<Element>& output, FeatureMaps<float>* exact,
           ThreadPool& pool) const;

 private:
  void run_line(const FeatureMaps<Element>& input, int view, int y, std::size_t first_column, std::size_t last_column,
                FeatureMaps<Element>& output, FeatureMaps<float>* exact) const;
  [[nodiscard]] std::size_t columns_in_cache() const;

  const Kernels<Element>* kernels_;
  int kernel_;
  int stride_;
  int output_side_;
  int border_before_;
  int border_after_;
  std::size_t channels_;
  PackedWeights<Element> weights_;
  AlignedBuffer<float> bias_;
};

/// The image CNN of a stage: convolutions one after the other, some of whose maps are read later. Buffers live as long
/// as it does.
template <class Element>
class ImageFeatures {
 public:
  /// layers_read: the convolutions whose maps are asked for.
  ImageFeatures(const Kernels<Element>& kernels, std::span<const ConvolutionWeights> weights, int image_side,
                std::span<const std::size_t> layers_read);

  /// Pixels of zeros that the images must have around them.
  [[nodiscard]] int border_before() const { return layers_.front().border_before(); }
  [[nodiscard]] int border_after() const { return layers_.front().border_after(); }

  void run(const FeatureMaps<Element>& images, int views, ThreadPool& pool);

  /// What the convolutions that are read gave in the last run, as float.
  [[nodiscard]] std::vector<const FeatureMaps<float>*> maps_read() const;

 private:
  std::vector<Convolution<Element>> layers_;
  std::vector<FeatureMaps<Element>> maps_;
  std::vector<std::size_t> layers_read_;
  std::vector<FeatureMaps<float>> exact_;  // of a layer that is read, where its map is not float itself; else empty
};

}  // namespace p2mpp
