#pragma once

#include <span>
#include <vector>

#include "backends/cpu/feature_maps.h"
#include "backends/cpu/packed_weights.h"
#include "backends/cpu/thread_pool.h"
#include "model/network_layout.h"
#include "model/network_weights.h"

namespace p2mpp {

/// Convolution, bias and ReLU with TensorFlow's SAME padding. The output has ceil(side / stride) pixels per side, and
/// an odd pixel of padding goes to the right and the bottom. Computed as matrix products. The pixels under one row of
/// the convolution kernel are contiguous, so the image itself is the matrix and no copy (im2col) is needed.
template <class Number>
class Convolution {
 public:
  using Element = ElementOf<Number>;

  Convolution(const Kernels<Element>& kernels, const ConvolutionWeights& weights, int input_side,
              std::size_t input_pixel_stride);

  [[nodiscard]] std::size_t channels() const { return channels_; }
  [[nodiscard]] int output_side() const { return output_side_; }
  /// Zero pixels that this layer reads around its input.
  [[nodiscard]] int border_before() const { return border_before_; }
  [[nodiscard]] int border_after() const { return border_after_; }

  /// Some views of an input and where their outputs go.
  struct Views {
    int count;
    int first_input = 0, first_output = 0, first_exact = 0;
  };

  /// exact: receives the output before rounding, for a map that a projection samples; may be null.
  void run(const FeatureMaps<Number>& input, const Views& views, FeatureMaps<Number>& output, FeatureMaps<float>* exact,
           ThreadPool& pool) const;

 private:
  void run_line(const FeatureMaps<Number>& input, const Views& views, int line, std::size_t first_column,
                std::size_t last_column, FeatureMaps<Number>& output, FeatureMaps<float>* exact) const;

  const Kernels<Element>* kernels_;
  int kernel_;
  int stride_;
  int output_side_;
  int border_before_;
  int border_after_;
  std::size_t channels_;
  PackedWeights<Number> weights_;
  AlignedBuffer<float> bias_;
};

/// The image CNN of a stage: a chain of convolutions. The maps of some layers are kept for the projection. The maps of
/// the other layers exist for a few views at a time. Buffers are reused by every run.
template <class Number>
class ImageFeatures {
 public:
  using Element = ElementOf<Number>;

  /// layers_read: the convolutions whose maps maps_read() returns.
  ImageFeatures(const Kernels<Element>& kernels, std::span<const ConvolutionWeights> weights, int image_side,
                std::span<const std::size_t> layers_read);

  [[nodiscard]] std::size_t image_channels() const { return image_channels_; }
  /// Zero pixels that the images must have around them.
  [[nodiscard]] int border_before() const { return layers_.front().border_before(); }
  [[nodiscard]] int border_after() const { return layers_.front().border_after(); }

  void run(const FeatureMaps<Number>& images, int views, ThreadPool& pool);

  /// The float maps that the last run computed for `layers_read`. Valid until the next run.
  [[nodiscard]] std::vector<const FeatureMaps<float>*> maps_read() const;

 private:
  void run_some(const FeatureMaps<Number>& images, int first, int count, ThreadPool& pool);
  /// Whether a projection samples the layer's rounded output, so that the maps of all views must be kept.
  [[nodiscard]] bool keeps_all(std::size_t layer) const;

  std::size_t image_channels_;
  std::vector<Convolution<Number>> layers_;
  std::vector<FeatureMaps<Number>> maps_;
  std::vector<std::size_t> layers_read_;
  std::vector<FeatureMaps<float>> exact_;  // unrounded maps of `layers_read` if Number is not float; otherwise empty
};

}  // namespace p2mpp
