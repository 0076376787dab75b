#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "backends/cpu/cpu_cases.h"
#include "backends/cuda/device_memory.h"
#include "backends/cuda/fp8_packing.h"
#include "backends/cuda/numbers.h"
#include "backends/cuda/packed_weights.h"
#include "backends/cuda/tiling.h"

namespace p2mpp {

enum class Kernel { kPortable, kHopper };

struct Sizes {
  int vertices, hypotheses, hidden, layers, views;  // layers: but the last
};

/// A drawn deformation reasoning block for one of the two kernels. The same seed draws the same for both.
class Problem {
 public:
  Problem(DeviceRuntime& runtime, const Sizes& sizes, Arithmetic arithmetic, Kernel kernel, unsigned seed)
      : runtime_(runtime),
        sizes_(sizes),
        arithmetic_(arithmetic),
        kernel_(kernel),
        draw_(seed),
        hidden_(padded_hidden()) {
    arguments.lookup.views = sizes.views;
    arguments.lookup.sampling = Sampling::kBilinear;
    add_cameras();
    for (const int channels : {16, 32}) add_map(channels);
    arguments.point_column = columns_;
    arguments.features = columns_ + 16;
    arguments.hopper = HopperLayout::of(arithmetic, arguments.features, arguments.point_column, hidden_, rows());
    add_points();
    add_layers();
    arguments.layout = ReasoningLayout::of(arguments.features, hidden_, rows(), depth_of(arithmetic),
                                           static_cast<int>(element_bytes(arithmetic)));
    arguments.vertex_threads = reasoning_vertex_threads(arithmetic, hidden_, rows());
    arguments.hidden = hidden_;
  }

  /// Whether the kernel computes these sizes on the device.
  [[nodiscard]] bool fits() const {
    if (kernel_ == Kernel::kPortable) {
      return of(runtime_.kernels().reason, arithmetic_) != nullptr && vertices_in_block() > 0;
    }
    return runtime_.is_hopper() && fits_hopper(arithmetic_, arguments.features, arguments.point_column, sizes_.hidden,
                                               rows(), runtime_.shared_bytes_per_block());
  }

  /// Scores [vertices, hypotheses] and moved vertices.
  void run() {
    const auto count = static_cast<std::size_t>(sizes_.vertices * sizes_.hypotheses);
    features_.assign(count * static_cast<std::size_t>(arguments.features), NAN);
    scores.assign(count, NAN);
    moved.assign(static_cast<std::size_t>(3 * sizes_.vertices), NAN);
    arguments.traced_features = const_cast<float*>(upload(features_));
    arguments.traced_scores = const_cast<float*>(upload(scores));
    arguments.moved = const_cast<float*>(upload(moved));
    const CudaKernels& kernels = runtime_.kernels();
    const auto& kernel = kernel_ == Kernel::kHopper ? kernels.reason_on_hopper : kernels.reason;
    runtime_.check_launch(of(kernel, arithmetic_)(launch(), arguments, stream()), "deformation reasoning");
    download(arguments.traced_features, features_);
    download(arguments.traced_scores, scores);
    download(arguments.moved, moved);
  }

  /// What plain loops in double make of the features that the kernel sampled.
  [[nodiscard]] std::vector<double> expected_scores() const {
    std::vector<double> expected;
    for (int vertex = 0; vertex < sizes_.vertices; ++vertex) {
      std::ranges::copy(scores_of(vertex), std::back_inserter(expected));
    }
    return expected;
  }

  [[nodiscard]] float sampled(int row, int column) const {
    return features_[static_cast<std::size_t>(row * arguments.features + column)];
  }

  [[nodiscard]] std::vector<double> expected_moves() const {
    std::vector<double> expected;
    const auto hypotheses = static_cast<std::size_t>(sizes_.hypotheses);
    for (std::size_t vertex = 0; vertex < static_cast<std::size_t>(sizes_.vertices); ++vertex) {
      double sum = 0;
      double offset[3] = {0, 0, 0};
      for (std::size_t node = 0; node < hypotheses; ++node) {
        const double weight = std::exp(static_cast<double>(scores[vertex * hypotheses + node]));
        sum += weight;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          offset[axis] += weight * static_cast<double>(offsets_[3 * node + axis]);
        }
      }
      for (std::size_t axis = 0; axis < 3; ++axis) {
        expected.push_back(static_cast<double>(vertices_[3 * vertex + axis]) + offset[axis] / sum);
      }
    }
    return expected;
  }

  ReasoningArguments arguments{};
  std::vector<float> scores, moved;

 private:
  struct Layer {
    int in;
    std::vector<float> weight0, weight1, bias;  // [in, hidden]
    std::vector<float> units = {};              // [hidden], in fp8, of the sums
  };

  [[nodiscard]] int rows() const { return hypothesis_rows(sizes_.hypotheses); }

  [[nodiscard]] int padded_hidden() const {
    if (kernel_ == Kernel::kHopper) return hopper_hidden(sizes_.hidden);
    const int channels_of_warp = reasoning_pairs(arithmetic_, rows()) * kPairChannels;
    return blocks_for(sizes_.hidden, channels_of_warp) * channels_of_warp;
  }

  [[nodiscard]] int vertices_in_block() const {
    return vertices_together(arithmetic_, arguments.layout, rows(), arguments.vertex_threads,
                             runtime_.shared_bytes_per_block());
  }

  [[nodiscard]] Launch launch() const {
    if (kernel_ == Kernel::kHopper) {
      return {.blocks_x = blocks_for(sizes_.vertices, hopper_vertices(rows())),
              .blocks_y = 1,
              .threads = hopper_threads(hidden_),
              .shared_bytes = static_cast<std::size_t>(arguments.hopper.bytes)};
    }
    const int together = vertices_in_block();
    return {.blocks_x = blocks_for(sizes_.vertices, together),
            .blocks_y = 1,
            .threads = together * arguments.vertex_threads,
            .shared_bytes = static_cast<std::size_t>(together * arguments.layout.vertex_bytes)};
  }

  void add_cameras() {
    for (int view = 0; view < sizes_.views; ++view) {
      ViewTransform& transform = transforms_.emplace_back();
      for (double& each : transform.rotation) each = draw_.uniform(-0.3, 0.3);
      transform.translation[2] = -1.5;
      transform.largest_z = -0.1;
    }
    arguments.lookup.transforms = upload(transforms_);
  }

  void add_map(int channels) {
    DeviceMap& map = arguments.lookup.maps[arguments.lookup.map_count++];
    constexpr int kSide = 14;
    const auto count = static_cast<std::size_t>(sizes_.views * kSide * kSide * channels);
    const std::vector<float> values = draw_.values(count, 0, 2);
    if (element_bytes(half_arithmetic()) == 2) {
      std::vector<std::uint16_t> halves;
      for (const float value : values) halves.push_back(half(value));
      map.values = upload(halves);
    } else {
      map.values = upload(values);
    }
    map = {
        .values = map.values, .side = kSide, .stride = channels, .cells_per_pixel = kSide / 224.0F, .column = columns_};
    columns_ += 3 * channels;
  }

  void add_points() {
    const auto hypotheses = static_cast<std::size_t>(sizes_.hypotheses);
    vertices_ = draw_.values(static_cast<std::size_t>(3 * sizes_.vertices), -0.5, 0.5);
    offsets_ = draw_.values(3 * hypotheses, -0.3, 0.3);
    support_ = draw_.values(hypotheses * hypotheses, -0.3, 0.3);
    const std::uint32_t* packed =
        upload(kernel_ == Kernel::kHopper ? pack_support_operand(half_arithmetic(), support_, hypotheses)
                                          : pack_support(arithmetic_, support_, hypotheses));
    arguments.vertices = upload(vertices_);
    arguments.vertex_count = arguments.vertices_per_sample = sizes_.vertices;
    arguments.offsets = upload(offsets_);
    arguments.hypotheses = sizes_.hypotheses;
    arguments.support = upload(support_);
    (kernel_ == Kernel::kHopper ? arguments.support_operand : arguments.support_fragments) = packed;
  }

  void add_layers() {
    std::vector<std::uint32_t> stream;
    for (int i = 0; i < sizes_.layers; ++i) {
      const int in = i == 0 ? arguments.features : sizes_.hidden;
      const int rows = i == 0 ? in : hidden_;
      const int depth = (rows + kWeightDepth - 1) / kWeightDepth * kWeightDepth;
      const auto count = static_cast<std::size_t>(in * sizes_.hidden);
      const double range = 1 / std::sqrt(static_cast<double>(in));
      layers_.push_back({in, draw_.values(count, -range, range), draw_.values(count, -range, range),
                         draw_.values(static_cast<std::size_t>(sizes_.hidden), -0.1, 0.1)});
      const Layer& layer = layers_.back();
      std::vector<float> bias = layer.bias;
      bias.resize(static_cast<std::size_t>(hidden_));
      if (arithmetic_ == Arithmetic::kFp8) {
        add_fp8_layer(i, bias, stream);
      } else {
        for (const auto* weight : {&layer.weight1, &layer.weight0}) {
          const auto value = [&](int channel, int k) {
            return k < in && channel < sizes_.hidden ? at(*weight, k, channel) : 0;
          };
          if (kernel_ == Kernel::kHopper) {
            append_to_stream(arithmetic_, hidden_, depth, value, stream);
            continue;
          }
          auto& packed = weight == &layer.weight0 ? arguments.layers[i].weights0 : arguments.layers[i].weights1;
          packed = upload(pack_weights(arithmetic_, static_cast<std::size_t>(rows), static_cast<std::size_t>(hidden_),
                                       [&](std::size_t row, std::size_t column) {
                                         return value(static_cast<int>(column), static_cast<int>(row));
                                       }));
        }
      }
      arguments.layers[i].bias = upload(bias);
    }
    arguments.layer_count = sizes_.layers;
    arguments.weight_stream = upload(stream);
    for (std::vector<float>& last : last_) {
      last = draw_.values(static_cast<std::size_t>(sizes_.hidden), -0.3, 0.3);
      last.resize(static_cast<std::size_t>(hidden_));
    }
    const auto ordered = [&](const std::vector<float>& last) {
      return arithmetic_ == Arithmetic::kFp8 ? fp8_last_weights(last, input_scale(sizes_.layers)) : last;
    };
    arguments.last_weights0 = upload(ordered(last_[0]));
    arguments.last_weights1 = upload(ordered(last_[1]));
    arguments.last_bias = 0.25F;
  }

  /// bias: becomes what the kernel takes. The layer's weights become what their eight bits hold.
  void add_fp8_layer(int index, std::vector<float>& bias, std::vector<std::uint32_t>& stream) {
    Layer& layer = layers_[static_cast<std::size_t>(index)];
    const int point = index == 0 ? arguments.point_column : 0;
    const auto weight = [&](bool other, int channel, int k) {
      return k < layer.in && channel < sizes_.hidden ? at(other ? layer.weight1 : layer.weight0, k, channel) : 0;
    };
    const Fp8Layer packed = append_fp8_layer(arguments.hopper, hidden_, point, input_scale(index), weight, stream);
    bias = packed.bias_in_units(bias);
    layer.units = packed.units;
    arguments.layers[index].gain = upload(packed.gains(input_scale(index + 1)));
    if (index > 0) arguments.layers[index].residual_gain = input_scale(index - 1) / input_scale(index + 1);
    if (index == 0) arguments.feature_gain = 1 / input_scale(0);
    for (std::vector<float>* weights : {&layer.weight0, &layer.weight1}) {
      for (std::size_t i = 0; i < weights->size(); ++i) {
        const std::size_t channel = i % static_cast<std::size_t>(sizes_.hidden);
        const bool in_bf16 = index == 0 && static_cast<int>(i) / sizes_.hidden >= point;
        const float scale = in_bf16 ? layer.units[channel] : packed.weight_scales[channel];
        float& each = (*weights)[i];
        each = scale * (in_bf16 ? float_from(bfloat16_from(each / scale)) : float_from(float8_from(each / scale)));
      }
    }
  }

  /// Generous: numbers of eight bits are as precise far below the largest.
  [[nodiscard]] static float input_scale(int layer) { return fp8_scale(2 * std::pow(3.0F, static_cast<float>(layer))); }

  /// What entered layer `index` as column `k` of its input, rounded as the kernel rounds it.
  [[nodiscard]] double as_operand(int index, int k, double value) const {
    if (arithmetic_ != Arithmetic::kFp8) return value;
    const auto number = static_cast<float>(value);
    if (index == 0 && k >= arguments.point_column) return static_cast<double>(float_from(bfloat16_from(number)));
    return static_cast<double>(float_from(float8_from(number / input_scale(index))) * input_scale(index));
  }

  /// Of maps and of T1.
  [[nodiscard]] Arithmetic half_arithmetic() const {
    return arithmetic_ == Arithmetic::kFp8 ? Arithmetic::kBf16 : arithmetic_;
  }

  [[nodiscard]] DeviceStream stream() const { return runtime_.stream(kComputeStream); }

  template <class T>
  const T* upload(const std::vector<T>& values) {
    if (values.empty()) return nullptr;
    const DeviceBlock& block = blocks_.emplace_back(runtime_, values.size() * sizeof(T));
    runtime_.copy_to_device(block.data(), values.data(), values.size() * sizeof(T), stream());
    runtime_.synchronize(stream());
    return reinterpret_cast<const T*>(block.data());
  }

  void download(const float* from, std::vector<float>& to) {
    runtime_.copy_to_host(to.data(), from, to.size() * sizeof(float), stream());
    runtime_.synchronize(stream());
  }

  [[nodiscard]] std::uint16_t half(float value) const {
    return half_arithmetic() == Arithmetic::kBf16 ? static_cast<std::uint16_t>(bfloat16_from(value))
                                                  : static_cast<std::uint16_t>(float16_from(value));
  }

  [[nodiscard]] float at(const std::vector<float>& weight, int in, int out) const {
    return weight[static_cast<std::size_t>(in * sizes_.hidden + out)];
  }

  [[nodiscard]] std::vector<double> scores_of(int vertex) const {
    const int hypotheses = sizes_.hypotheses;
    const auto mixed = [&](const std::vector<double>& rows, int width, bool rounds) {
      std::vector<double> result(rows.size());
      for (int node = 0; node < hypotheses; ++node) {
        for (int other = 0; other < hypotheses; ++other) {
          const float support = support_[static_cast<std::size_t>(node * hypotheses + other)];
          const auto weight = static_cast<double>(rounds ? float_from(bfloat16_from(support)) : support);
          for (int i = 0; i < width; ++i) {
            result[static_cast<std::size_t>(node * width + i)] +=
                weight * rows[static_cast<std::size_t>(other * width + i)];
          }
        }
      }
      return result;
    };
    std::vector<double> state;
    for (int node = 0; node < hypotheses; ++node) {
      for (int i = 0; i < arguments.features; ++i) {
        state.push_back(as_operand(0, i, static_cast<double>(sampled(vertex * hypotheses + node, i))));
      }
    }
    std::vector<std::vector<double>> states;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const Layer& layer = layers_[i];
      const auto products = [&](const std::vector<float>& weight) {
        std::vector<double> result;
        for (int node = 0; node < hypotheses; ++node) {
          for (int channel = 0; channel < sizes_.hidden; ++channel) {
            double sum = 0;
            for (int k = 0; k < layer.in; ++k) {
              sum += state[static_cast<std::size_t>(node * layer.in + k)] * static_cast<double>(at(weight, k, channel));
            }
            result.push_back(sum);
          }
        }
        return result;
      };
      const std::vector<double> own = products(layer.weight0);
      std::vector<double> others = products(layer.weight1);
      for (std::size_t j = 0; j < others.size() && !layer.units.empty(); ++j) {
        const float unit = layer.units[j % static_cast<std::size_t>(sizes_.hidden)];
        others[j] = static_cast<double>(float_from(bfloat16_from(static_cast<float>(others[j]) / unit)) * unit);
      }
      others = mixed(others, sizes_.hidden, !layer.units.empty());
      std::vector<double> out;
      for (std::size_t j = 0; j < own.size(); ++j) {
        const auto channel = static_cast<int>(j) % sizes_.hidden;
        const double sum = static_cast<double>(layer.bias[static_cast<std::size_t>(channel)]) + own[j] + others[j];
        const double before = i >= 2 && i % 2 == 0 ? states[i - 2][j] : 0;
        out.push_back(as_operand(static_cast<int>(i) + 1, channel, std::max(sum, 0.0) + before));
      }
      states.push_back(out);
      state = out;
    }
    const auto product = [&](const std::vector<float>& weights) {
      std::vector<double> result(static_cast<std::size_t>(hypotheses));
      for (std::size_t i = 0; i < state.size(); ++i) {
        const auto width = static_cast<std::size_t>(sizes_.hidden);
        result[i / width] += state[i] * static_cast<double>(weights[i % width]);
      }
      return result;
    };
    std::vector<double> result = mixed(product(last_[1]), 1, false);
    const std::vector<double> own = product(last_[0]);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] += own[i] + static_cast<double>(arguments.last_bias);
    return result;
  }

  DeviceRuntime& runtime_;
  Sizes sizes_;
  Arithmetic arithmetic_;
  Kernel kernel_;
  Draw draw_;
  int hidden_;
  int columns_ = 0;
  std::vector<ViewTransform> transforms_;
  std::vector<DeviceBlock> blocks_;
  std::vector<float> features_;  // [vertices, hypotheses, features], as sampled
  std::vector<float> vertices_, offsets_, support_;
  std::vector<Layer> layers_;
  std::vector<float> last_[2];
};

}  // namespace p2mpp
