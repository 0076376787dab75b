#include "backends/cpu/convolution.h"

#include <type_traits>

namespace p2mpp {
namespace {

// The maps of more views at a time would only take memory.
constexpr int kViewsTogether = 5;

constexpr std::size_t kTasksPerThread = 8;  // small enough that a delayed thread does not delay the others

int padding(int side, int kernel, int stride) { return std::max((side - 1) / stride * stride + kernel - side, 0); }

// A segment is a row of the convolution kernel: its columns, each with its channels padded to the pixel stride.
template <class Number>
PackedWeights<Number> packed(const Kernels<ElementOf<Number>>& kernels, const ConvolutionWeights& weights,
                             std::size_t pixel_stride) {
  const std::size_t out_channels = weights.bias.size();
  const auto kernel = static_cast<std::size_t>(weights.kernel);
  const std::size_t area = kernel * kernel;
  const std::size_t in_channels = weights.in();
  return {kernels, kernel, kernel * pixel_stride, out_channels, [&](std::size_t row, std::size_t out) {
            const std::size_t in = row % pixel_stride;
            return in < in_channels ? weights.weight[(out * in_channels + in) * area + row / pixel_stride] : 0.0F;
          }};
}

}  // namespace

template <class Number>
Convolution<Number>::Convolution(const Kernels<Element>& kernels, const ConvolutionWeights& weights, int input_side,
                                 std::size_t input_pixel_stride)
    : kernels_(&kernels),
      kernel_(weights.kernel),
      stride_(weights.stride),
      output_side_((input_side + stride_ - 1) / stride_),
      border_before_(padding(input_side, kernel_, stride_) / 2),
      border_after_((padding(input_side, kernel_, stride_) + 1) / 2),
      channels_(weights.bias.size()),
      weights_(packed<Number>(kernels, weights, input_pixel_stride)),
      bias_(padded(weights.bias)) {}

template <class Number>
void Convolution<Number>::run(const FeatureMaps<Number>& input, const Views& views, FeatureMaps<Number>& output,
                              FeatureMaps<float>* exact, ThreadPool& pool) const {
  const std::size_t group_columns = weights_.columns_in_cache(kernels_->block_columns);
  const std::size_t groups = (weights_.columns() + group_columns - 1) / group_columns;
  const std::size_t lines = static_cast<std::size_t>(views.count) * static_cast<std::size_t>(output_side_);
  const std::size_t wanted_tasks = kTasksPerThread * static_cast<std::size_t>(pool.thread_count());
  const std::size_t parts = std::clamp<std::size_t>(wanted_tasks / groups, 1, lines);
  pool.run(groups * parts, [&](std::size_t task, int) {
    const KernelSession session(*kernels_);
    const std::size_t first_column = task / parts * group_columns;
    const std::size_t last_column = std::min(first_column + group_columns, weights_.columns());
    const std::size_t part = task % parts;
    for (std::size_t line = lines * part / parts; line < lines * (part + 1) / parts; ++line) {
      run_line(input, views, static_cast<int>(line), first_column, last_column, output, exact);
    }
  });
}

template <class Number>
void Convolution<Number>::run_line(const FeatureMaps<Number>& input, const Views& views, int line,
                                   std::size_t first_column, std::size_t last_column, FeatureMaps<Number>& output,
                                   FeatureMaps<float>* exact) const {
  const int view = line / output_side_;
  const int y = line % output_side_;
  Product<Element> product = product_with(weights_);
  product.row_stride = static_cast<std::size_t>(stride_) * input.pixel_stride();
  product.first_column = first_column;
  product.last_column = last_column;
  product.bias = bias_.data();
  product.relu = true;
  product.out_stride = output.pixel_stride();
  product.out_rest = output.rest();
  const Tiles tiles(static_cast<std::size_t>(output_side_), *kernels_);
  for (std::size_t tile = 0; tile < tiles.count; ++tile) {
    const auto x = static_cast<int>(tiles.begin(tile));
    product.rows = static_cast<int>(tiles.size(tile));
    for (int row = 0; row < kernel_; ++row) {
      const std::size_t at =
          input.offset(views.first_input + view, y * stride_ + row - border_before_, x * stride_ - border_before_);
      set_segment<Number>(product, row, input.data() + at, input.rest());
    }
    product.out_element = output.data() + output.offset(views.first_output + view, y, x);
    if (exact != nullptr) product.out_float = exact->data() + exact->offset(views.first_exact + view, y, x);
    kernels_->multiply(product);
  }
}

template <class Number>
ImageFeatures<Number>::ImageFeatures(const Kernels<Element>& kernels, std::span<const ConvolutionWeights> weights,
                                     int image_side, std::span<const std::size_t> layers_read)
    : image_channels_(weights.front().in()),
      layers_read_(layers_read.begin(), layers_read.end()),
      exact_(weights.size()) {
  int side = image_side;
  std::size_t pixel_stride = image_channels_;
  for (const ConvolutionWeights& each : weights) {
    const auto& layer = layers_.emplace_back(kernels, each, side, pixel_stride);
    side = layer.output_side();
    pixel_stride = padded_channels(layer.channels());
  }
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const bool last = i + 1 == layers_.size();
    const int before = last ? 0 : layers_[i + 1].border_before();
    const int after = last ? 0 : layers_[i + 1].border_after();
    const std::size_t channels = layers_[i].channels();
    maps_.emplace_back(layers_[i].output_side(), channels, padded_channels(channels), before, after);
    if (!std::is_same_v<Number, float> && std::ranges::find(layers_read_, i) != layers_read_.end()) {
      exact_[i] = FeatureMaps<float>(layers_[i].output_side(), channels, padded_channels(channels), before, after);
    }
  }
}

template <class Number>
bool ImageFeatures<Number>::keeps_all(std::size_t layer) const {
  return std::is_same_v<Number, float> && std::ranges::find(layers_read_, layer) != layers_read_.end();
}

template <class Number>
void ImageFeatures<Number>::run(const FeatureMaps<Number>& images, int views, ThreadPool& pool) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    maps_[i].reserve(keeps_all(i) ? views : std::min(views, kViewsTogether));
    if (exact_[i].side() > 0) exact_[i].reserve(views);
  }
  for (int first = 0; first < views; first += kViewsTogether) {
    run_some(images, first, std::min(kViewsTogether, views - first), pool);
  }
}

template <class Number>
void ImageFeatures<Number>::run_some(const FeatureMaps<Number>& images, int first, int count, ThreadPool& pool) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const bool all_inputs = i == 0 || keeps_all(i - 1);
    layers_[i].run(i == 0 ? images : maps_[i - 1],
                   {.count = count,
                    .first_input = all_inputs ? first : 0,
                    .first_output = keeps_all(i) ? first : 0,
                    .first_exact = first},
                   maps_[i], exact_[i].side() > 0 ? &exact_[i] : nullptr, pool);
  }
}

template <class Number>
std::vector<const FeatureMaps<float>*> ImageFeatures<Number>::maps_read() const {
  std::vector<const FeatureMaps<float>*> read;
  for (const std::size_t layer : layers_read_) {
    if constexpr (std::is_same_v<Number, float>) {
      read.push_back(&maps_[layer]);
    } else {
      read.push_back(&exact_[layer]);
    }
  }
  return read;
}

template class Convolution<float>;
template class Convolution<Bfloat16>;
template class Convolution<SplitFloat>;
template class ImageFeatures<float>;
template class ImageFeatures<Bfloat16>;
template class ImageFeatures<SplitFloat>;

}  // namespace p2mpp
