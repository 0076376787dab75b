#include "backends/cuda/self_check/reasoning_problem.h"

#include <algorithm>
#include <cmath>

#include "backends/cuda/packed_weights.h"
#include "backends/cuda/self_check/stage1_problems.h"
#include "backends/cuda/tiling.h"
#include "backends/self_check/cpu_check.h"
#include "base/machine/instruction_set.h"

namespace p2mpp {
namespace {

/// The arithmetic of the maps and of T1.
Arithmetic half_arithmetic(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::kFp8 ? Arithmetic::kBf16 : arithmetic;
}

/// Generous, because fp8 numbers are equally precise far below the largest.
float input_scale(std::size_t layer) { return fp8_scale(2 * std::pow(3.0F, static_cast<float>(layer))); }

double through_float8(double value, float scale) {
  return static_cast<double>(float_from(float8_from(static_cast<float>(value) / scale)) * scale);
}

double through_bfloat16(double value, float scale) {
  return static_cast<double>(float_from(bfloat16_from(static_cast<float>(value) / scale)) * scale);
}

}  // namespace

ReasoningProblem::ReasoningProblem(DeviceRuntime& runtime, const ReasoningSizes& sizes, Arithmetic arithmetic,
                                   ReasoningKernel kernel, unsigned seed)
    : arrays_(runtime),
      arithmetic_(arithmetic),
      kernel_(kernel),
      draw_(seed),
      drawn_(draw_, sizes, rounding_in_memory(half_arithmetic(arithmetic))),
      layout_(drawn_.layout()) {
  DrawnViews sampled = drawn_.views;
  if (sizes.mask_evidence) {
    const std::vector<double>& evidence = sampled.maps.back().values;
    arguments_.evidence = arrays_.upload(std::vector<float>(evidence.begin(), evidence.end()));
    sampled.maps.pop_back();
  }
  arguments_.lookup = upload_views(arrays_, half_arithmetic(arithmetic), sizes.rules, sampled);
  arguments_.point_column = static_cast<int>(layout_.point_column());
  arguments_.features = static_cast<int>(padded_channels(layout_.width()));
  arguments_.hidden = padded_hidden();
  arguments_.hopper =
      HopperLayout::of(arithmetic, arguments_.features, arguments_.point_column, arguments_.hidden, rows());
  arguments_.layout = ReasoningLayout::of(arguments_.features, arguments_.hidden, rows(), depth_of(arithmetic),
                                          static_cast<int>(element_bytes(arithmetic)));
  arguments_.vertex_threads = reasoning_vertex_threads(arithmetic, arguments_.hidden, rows());
  arguments_.rectified = drawn_.rectified;
  add_points();
  add_layers();
}

bool ReasoningProblem::fits() const {
  const DeviceRuntime& runtime = arrays_.runtime();
  if (!on_hopper()) return of(arrays_.kernels().reason, arithmetic_) != nullptr && vertices_in_block() > 0;
  return runtime.is_hopper() && of(arrays_.kernels().reason_on_hopper, arithmetic_) != nullptr &&
         fits_hopper(arithmetic_, arguments_.features, arguments_.point_column, hidden(), rows(),
                     runtime.shared_bytes_per_block());
}

void ReasoningProblem::run() {
  const std::size_t count = drawn_.sizes.vertices * drawn_.sizes.hypotheses;
  const auto width = static_cast<std::size_t>(arguments_.features);
  arguments_.traced_features = arrays_.make(count * width);
  arguments_.traced_scores = arrays_.make(count);
  arguments_.moved = arrays_.make(3 * drawn_.sizes.vertices);
  const auto& kernel = on_hopper() ? arrays_.kernels().reason_on_hopper : arrays_.kernels().reason;
  arrays_.check_launch(of(kernel, arithmetic_)(launch(), arguments_, arrays_.stream()), "deformation reasoning");
  const std::vector<float> traced = arrays_.download(arguments_.traced_features, count * width);
  features = layout_.in_checkpoint_order(traced.data(), count, width);
  scores = arrays_.download(arguments_.traced_scores, count);
  moved = arrays_.download(arguments_.moved, 3 * drawn_.sizes.vertices);
}

std::vector<double> ReasoningProblem::expected_scores() const {
  const plain::Matrix sampled = plain::as_matrix(features, layout_.checkpoint_width());
  if (arithmetic_ != Arithmetic::kFp8) return drawn_.scores(sampled);
  const std::vector<float> weights = rounded(drawn_.support.weight, rounding_in_memory(Arithmetic::kBf16));
  SupportRows support = drawn_.support.rows();
  support.weight = weights.data();
  return drawn_.scores(sampled,
                       {.input = [this](std::size_t layer, std::size_t column,
                                        double value) { return as_operand(layer, column, value); },
                        .products = [this](std::size_t layer, std::size_t channel,
                                           double value) { return through_bfloat16(value, units_[layer][channel]); },
                        .support = support});
}

std::vector<float> ReasoningProblem::scores_of_cpu() const {
  return reasoned<float>(usable_instruction_sets().back(), drawn_, 1).trace.scores;
}

int ReasoningProblem::padded_hidden() const {
  if (on_hopper()) return hopper_hidden(hidden());
  const int channels_of_warp = reasoning_pairs(arithmetic_, rows()) * kPairChannels;
  return blocks_for(hidden(), channels_of_warp) * channels_of_warp;
}

int ReasoningProblem::vertices_in_block() const {
  return vertices_per_block(arithmetic_, arguments_.layout, rows(), arguments_.vertex_threads,
                            arrays_.runtime().shared_bytes_per_block());
}

Launch ReasoningProblem::launch() const {
  const auto vertices = static_cast<int>(drawn_.sizes.vertices);
  if (on_hopper()) {
    return {.blocks_x = blocks_for(vertices, hopper_vertices(rows())),
            .threads = hopper_threads(arguments_.hidden),
            .shared_bytes = static_cast<std::size_t>(arguments_.hopper.bytes)};
  }
  const int together = vertices_in_block();
  return {.blocks_x = blocks_for(vertices, together),
          .threads = together * arguments_.vertex_threads,
          .shared_bytes = static_cast<std::size_t>(together * arguments_.layout.vertex_bytes)};
}

std::vector<std::size_t> ReasoningProblem::count_columns(std::size_t layer) const {
  std::vector<std::size_t> columns;
  if (layer == 0) {
    columns.assign(layout_.checkpoint_columns().begin(), layout_.checkpoint_columns().end());
    columns.resize(static_cast<std::size_t>(arguments_.features), kNoColumn);
    return columns;
  }
  for (std::size_t i = 0; i < drawn_.sizes.hidden; ++i) columns.push_back(i);
  columns.resize(static_cast<std::size_t>(arguments_.hidden), kNoColumn);
  return columns;
}

void ReasoningProblem::add_points() {
  const std::size_t hypotheses = drawn_.sizes.hypotheses;
  const std::vector<float> support = drawn_.support.dense();
  if (on_hopper()) {
    arguments_.support_operand =
        arrays_.upload(pack_support_operand(half_arithmetic(arithmetic_), support, hypotheses));
  } else {
    arguments_.support_fragments = arrays_.upload(pack_support(arithmetic_, support, hypotheses));
  }
  arguments_.vertices = arrays_.upload(drawn_.vertices);
  arguments_.vertex_count = arguments_.vertices_per_sample = static_cast<int>(drawn_.sizes.vertices);
  arguments_.offsets = arrays_.upload(drawn_.offsets);
  arguments_.hypotheses = static_cast<int>(hypotheses);
  arguments_.support = arrays_.upload(support);
}

void ReasoningProblem::add_layers() {
  std::vector<std::uint32_t> stream;
  arguments_.layer_count = static_cast<int>(drawn_.sizes.layers) - 1;
  for (std::size_t i = 0; i + 1 < drawn_.sizes.layers; ++i) add_layer(i, stream);
  arguments_.weight_stream = arrays_.upload(stream);
  add_last_layer();
}

void ReasoningProblem::add_layer(std::size_t index, std::vector<std::uint32_t>& stream) {
  const DrawnLayers::Layer& layer = drawn_.layers.values[index];
  auto& argument = arguments_.layers[index];
  std::vector<float> bias = layer.bias;
  bias.resize(static_cast<std::size_t>(arguments_.hidden));
  const std::vector<std::size_t> columns = count_columns(index);
  if (arithmetic_ == Arithmetic::kFp8) {
    add_fp8_layer(index, bias, stream);
  } else {
    for (const auto* weight : {&layer.weight1, &layer.weight0}) {
      const auto value = [&](std::size_t channel, std::size_t k) {
        return k < columns.size() && channel < drawn_.sizes.hidden
                   ? weight_at(*weight, drawn_.sizes.hidden, columns, k, channel)
                   : 0.0F;
      };
      if (on_hopper()) {
        const int depth = blocks_for(static_cast<std::int64_t>(columns.size()), kWeightDepth) * kWeightDepth;
        const auto of_channel = [&](int channel, int k) {
          return value(static_cast<std::size_t>(channel), static_cast<std::size_t>(k));
        };
        append_to_stream(arithmetic_, arguments_.hidden, depth, of_channel, stream);
        continue;
      }
      auto& packed = weight == &layer.weight0 ? argument.weights0 : argument.weights1;
      packed = arrays_.upload(pack_weights(arithmetic_, columns.size(), static_cast<std::size_t>(arguments_.hidden),
                                           [&](std::size_t row, std::size_t column) { return value(column, row); }));
    }
  }
  argument.bias = arrays_.upload(bias);
}

/// Converts `bias` to the units of the kernel's sums.
void ReasoningProblem::add_fp8_layer(std::size_t index, std::vector<float>& bias, std::vector<std::uint32_t>& stream) {
  const DrawnLayers::Layer& layer = drawn_.layers.values[index];
  const std::vector<std::size_t> columns = count_columns(index);
  const auto weight = [&](bool other, int channel, int k) {
    const auto out = static_cast<std::size_t>(channel);
    const auto row = static_cast<std::size_t>(k);
    if (out >= drawn_.sizes.hidden || row >= columns.size()) return 0.0F;
    return weight_at(other ? layer.weight1 : layer.weight0, drawn_.sizes.hidden, columns, row, out);
  };
  const Fp8Layer packed =
      append_fp8_layer(arguments_.hopper, arguments_.hidden, index == 0 ? arguments_.point_column : 0,
                       input_scale(index), weight, stream);
  bias = packed.bias_in_units(bias);
  arguments_.layers[index].gain = arrays_.upload(packed.gains(input_scale(index + 1)));
  if (index > 0) arguments_.layers[index].residual_gain = input_scale(index - 1) / input_scale(index + 1);
  if (index == 0) arguments_.feature_gain = 1 / input_scale(0);
  keep_rounded(index, packed);
}

void ReasoningProblem::keep_rounded(std::size_t index, const Fp8Layer& packed) {
  DrawnLayers::Layer& layer = drawn_.layers.values[index];
  for (std::vector<float>* weights : {&layer.weight0, &layer.weight1}) {
    for (std::size_t i = 0; i < weights->size(); ++i) {
      const std::size_t channel = i % drawn_.sizes.hidden;
      const bool of_point = index == 0 && is_apart(i / drawn_.sizes.hidden);
      const auto value = static_cast<double>((*weights)[i]);
      (*weights)[i] = static_cast<float>(of_point ? through_bfloat16(value, packed.units[channel])
                                                  : through_float8(value, packed.weight_scales[channel]));
    }
  }
  units_.push_back(packed.units);
}

void ReasoningProblem::add_last_layer() {
  const DrawnLayers::Layer& layer = drawn_.layers.values.back();
  const auto as_taken = [&](std::vector<float> weights) {
    weights.resize(static_cast<std::size_t>(arguments_.hidden));
    return arrays_.upload(
        arithmetic_ == Arithmetic::kFp8 ? fp8_last_weights(weights, input_scale(drawn_.sizes.layers - 1)) : weights);
  };
  arguments_.last_weights0 = as_taken(layer.weight0);
  arguments_.last_weights1 = as_taken(layer.weight1);
  arguments_.last_bias = layer.bias.front();
}

/// Whether fp8 leaves a column of the first layer, in the checkpoint's order, in a bf16 operand: the point's and the
/// evidence's.
bool ReasoningProblem::is_apart(std::size_t column) const {
  const auto columns = layout_.checkpoint_columns().subspan(layout_.point_column());
  return std::ranges::find(columns, column) != columns.end();
}

/// Rounds an input of a layer as the fp8 kernel does.
double ReasoningProblem::as_operand(std::size_t layer, std::size_t column, double value) const {
  if (layer == 0 && is_apart(column)) return through_bfloat16(value, 1);
  return through_float8(value, input_scale(layer));
}

}  // namespace p2mpp
