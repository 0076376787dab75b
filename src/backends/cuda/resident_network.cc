#include "backends/cuda/resident_network.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/common/support.h"
#include "backends/cuda/arguments.h"
#include "backends/cuda/fp8_packing.h"
#include "backends/cuda/packed_weights.h"
#include "backends/cuda/tiling.h"
#include "p2mpp/camera.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

int padded_to(std::size_t count, int multiple) {
  const auto whole = static_cast<std::size_t>(multiple);
  return static_cast<int>((count + whole - 1) / whole * whole);
}

int padded(std::size_t channels) { return static_cast<int>(padded_channels(channels)); }

std::vector<float> with_zeros(std::span<const float> values, int size) {
  std::vector<float> result(values.begin(), values.end());
  result.resize(static_cast<std::size_t>(size));
  return result;
}

// A column of a matrix [rows, columns], zero-padded to `size`.
std::vector<float> gather_column(std::span<const float> matrix, std::size_t columns, std::size_t column, int size) {
  std::vector<float> result;
  for (std::size_t i = column; i < matrix.size(); i += columns) result.push_back(matrix[i]);
  return with_zeros(result, size);
}

// Columns of a layer whose input keeps the checkpoint's order, padded.
std::vector<std::size_t> same_columns(std::size_t count, int padded_count) {
  std::vector<std::size_t> columns(static_cast<std::size_t>(padded_count), kNoColumn);
  for (std::size_t i = 0; i < count; ++i) columns[i] = i;
  return columns;
}

// Appends the columns of a stage's features to `columns` and pads to a multiple of kChannelGroup.
std::vector<std::size_t> feature_columns(std::vector<std::size_t> columns, const ProjectionLayout& layout) {
  columns.insert(columns.end(), layout.checkpoint_columns().begin(), layout.checkpoint_columns().end());
  columns.resize(padded_channels(columns.size()), kNoColumn);
  return columns;
}

std::vector<std::uint32_t> pack_layer(Arithmetic arithmetic, std::span<const float> weight, std::size_t out,
                                      std::span<const std::size_t> columns) {
  return pack_weights(arithmetic, columns.size(), out, [&](std::size_t row, std::size_t column) {
    return weight_at(weight, out, columns, row, column);
  });
}

[[noreturn]] void refuse(const std::string& what) {
  throw UsageError("backend fused: on CUDA it has no kernel for " + what + "; backend torchscript computes it");
}

}  // namespace

StageArithmetics list_arithmetics(Precision precision) {
  using enum Arithmetic;
  if (precision == Precision::kTf32) return {kBf16x3, kTf32, kTf32};
  if (precision == Precision::kBf16) return {kBf16x3, kBf16, kBf16};
  if (precision == Precision::kFp16) return {kBf16x3, kFp16, kFp16};
  if (precision == Precision::kFp8) return {kBf16x3, kBf16, kFp8};
  return {kFp32, kFp32, kFp32};
}

ResidentNetwork::ResidentNetwork(DeviceRuntime& runtime, const Model& model, StageArithmetics chosen)
    : arithmetics(chosen),
      semantics(model.info.semantics),
      image_rules(p2mpp::image_rules(model.info)),
      mask_evidence(model.info.sizes.stage2_mask_evidence),
      hypotheses(static_cast<int>(model.hypotheses.size())),
      reasoning_rows(hypothesis_rows(hypotheses)) {
  check_limits(model);
  const StageWeights weights1(model, 1);
  const StageWeights weights2(model, 2);
  layout1 = ProjectionLayout(weights1.channels(kStage1Maps));
  layout2 = ProjectionLayout(weights2.channels(kStage2Maps), mask_evidence);
  add_cnn(weights1, arithmetics.stage1, cnn1);
  add_cnn(weights2, arithmetics.stage2, cnn2);
  add_levels(model.mesh_template);
  const auto gcn = weights1.blocks("gcn");
  const std::size_t hidden = gcn.front().front().out();
  hidden_stride = padded(hidden);
  hidden_pairs = padded_to(hidden, kPairChannels) / kPairChannels;
  product_columns = hidden_pairs * kPairChannels;
  for (const auto& layers : gcn) add_block(layers);
  const auto drb = weights2.blocks("drb");
  reasoning_features = padded(layout2.width());
  choose_reasoning(runtime, static_cast<int>(drb.front().front().out()));
  for (std::size_t i = 0; i < drb.size(); ++i) {
    add_reasoning(drb[i], arithmetics.reasoning == Arithmetic::kFp8 ? model.info.fp8_largest_inputs[i]
                                                                    : std::span<const float>());
  }
  add_local_graph(model);
  constants_.upload(runtime);
}

void ResidentNetwork::check_limits(const Model& model) const {
  const NetworkSizes& sizes = model.info.sizes;
  if (arithmetics.reasoning == Arithmetic::kFp8 && model.info.fp8_largest_inputs.empty()) {
    throw InputError((model.info.folder / "model.json").string() +
                     ": no \"fp8_largest_inputs\", which precision fp8 needs; expected those that "
                     "p2mpp-calibrate writes");
  }
  if (sizes.hypotheses > kMaxHypotheses) {
    refuse(fmt::format("{} hypotheses a vertex (at most {})", sizes.hypotheses, kMaxHypotheses));
  }
  if (sizes.drb_layers > kMaxReasoningLayers + 1) {
    refuse(
        fmt::format("{} layers a deformation reasoning block (at most {})", sizes.drb_layers, kMaxReasoningLayers + 1));
  }
  const int most_channels = reasoning_threads(arithmetics.reasoning, reasoning_rows) / 32 *
                            reasoning_pairs(arithmetics.reasoning, reasoning_rows) * kPairChannels;
  if (sizes.drb_hidden > most_channels) {
    refuse(fmt::format("deformation reasoning blocks of {} channels in this precision (at most {})", sizes.drb_hidden,
                       most_channels));
  }
  if (sizes.hidden > kMostGraphPairs * kPairChannels) {
    refuse(fmt::format("a hidden state of {} channels (at most {})", sizes.hidden, kMostGraphPairs * kPairChannels));
  }
}

void ResidentNetwork::choose_reasoning(DeviceRuntime& runtime, int channels) {
  const Arithmetic arithmetic = arithmetics.reasoning;
  const std::size_t shared_bytes = runtime.shared_bytes_per_block();
  const auto point_column = static_cast<int>(layout2.point_column());
  use_hopper_kernel = runtime.is_hopper() && of(runtime.kernels().reason_on_hopper, arithmetic) != nullptr &&
                      fits_hopper(arithmetic, reasoning_features, point_column, channels, reasoning_rows, shared_bytes);
  if (use_hopper_kernel) {
    reasoning_hidden = hopper_hidden(channels);
    hopper_layout = HopperLayout::of(arithmetic, reasoning_features, point_column, reasoning_hidden, reasoning_rows);
    return;
  }
  if (arithmetic == Arithmetic::kFp8) {
    throw UsageError(
        fmt::format("precision fp8: this device has no kernel for it, or none for {} hypotheses of {} features and {} "
                    "channels; expected a GPU of compute capability 9.0, or another precision",
                    hypotheses, layout2.width(), channels));
  }
  reasoning_hidden =
      padded_to(static_cast<std::size_t>(channels), reasoning_pairs(arithmetic, reasoning_rows) * kPairChannels);
  reasoning_layout = ReasoningLayout::of(reasoning_features, reasoning_hidden, reasoning_rows, depth_of(arithmetic),
                                         static_cast<int>(element_bytes(arithmetic)));
  vertex_threads = reasoning_vertex_threads(arithmetic, reasoning_hidden, reasoning_rows);
  vertices_per_block =
      p2mpp::vertices_per_block(arithmetic, reasoning_layout, reasoning_rows, vertex_threads, shared_bytes);
  if (vertices_per_block == 0) {
    refuse(
        fmt::format("this model's deformation reasoning blocks within the device's {} bytes of shared memory: "
                    "in this precision they need {}; bf16 and fp16 need half as much as fp32",
                    shared_bytes, reasoning_layout.vertex_bytes));
  }
}

void ResidentNetwork::add_cnn(const StageWeights& weights, Arithmetic arithmetic,
                              std::vector<ResidentConvolution>& cnn) {
  int side = static_cast<int>(kImageSize);
  int stride = kPixelStride;
  for (const ConvolutionWeights& each : weights.convolutions()) {
    const std::size_t out_channels = each.bias.size();
    const auto kernel = static_cast<std::size_t>(each.kernel);
    const std::size_t area = kernel * kernel;
    const std::size_t in_channels = each.in();
    const auto pixel = static_cast<std::size_t>(stride);
    ResidentConvolution layer{};
    layer.weights =
        constants_.add(pack_weights(arithmetic, area * pixel, out_channels, [&](std::size_t row, std::size_t out) {
          const std::size_t in = row % pixel;
          return in < in_channels ? each.weight[(out * in_channels + in) * area + row / pixel] : 0.0F;
        }));
    layer.pairs = padded_to(out_channels, kPairChannels) / kPairChannels;
    layer.bias = constants_.add(with_zeros(each.bias, layer.pairs * kPairChannels));
    layer.input_side = side;
    layer.input_stride = stride;
    layer.output_side = (side + each.stride - 1) / each.stride;
    layer.output_stride = padded(out_channels);
    layer.kernel = each.kernel;
    layer.stride = each.stride;
    layer.border_before = std::max((layer.output_side - 1) * each.stride + each.kernel - side, 0) / 2;
    side = layer.output_side;
    stride = layer.output_stride;
    cnn.push_back(layer);
  }
}

void ResidentNetwork::add_levels(const MeshTemplate& mesh_template) {
  const Points& vertices = mesh_template.vertices;
  template_vertices = constants_.add(std::span<const float>(vertices.front().data(), 3 * vertices.size()));
  for (const TemplateLevel& level : mesh_template.levels) {
    const Support support(level.support);
    const SupportRows rows = support.rows();
    const std::size_t count = support.size();
    const auto entries = static_cast<std::size_t>(rows.first[count]);
    std::vector<std::int32_t> edges;
    for (const Edge& edge : level.unpool_edges) edges.insert(edges.end(), edge.begin(), edge.end());
    levels.push_back({.vertices = static_cast<int>(count),
                      .first = constants_.add(std::span(rows.first, count + 1)),
                      .column = constants_.add(std::span(rows.column, entries)),
                      .weight = constants_.add(std::span(rows.weight, entries)),
                      .edges = constants_.add(edges)});
  }
}

void ResidentNetwork::add_block(std::span<const GraphConvolutionWeights> layers) {
  const GraphConvolutionWeights& first = layers.front();
  const std::size_t hidden_in = first.in() - layout1.checkpoint_width();
  // The checkpoint puts the hidden state last. Here it comes first so that its columns do not depend on the maps.
  std::vector<std::size_t> columns(padded_channels(hidden_in), kNoColumn);
  for (std::size_t i = 0; i < hidden_in; ++i) columns[i] = layout1.checkpoint_width() + i;
  const auto hidden_columns = static_cast<int>(columns.size());
  columns = feature_columns(columns, layout1);
  const auto half = static_cast<std::size_t>(product_columns);
  ResidentBlock block{};
  block.input_stride = static_cast<int>(columns.size());
  block.hidden_columns = hidden_columns;
  block.first_weights = constants_.add(
      pack_weights(arithmetics.stage1, columns.size(), 2 * half, [&](std::size_t row, std::size_t column) {
        const auto& weight = column < half ? first.weight0 : first.weight1;
        const std::size_t out = column % half;
        return out < first.out() ? weight_at(weight, first.out(), columns, row, out) : 0.0F;
      }));
  block.first_bias = constants_.add(with_zeros(first.bias, hidden_stride));
  for (const GraphConvolutionWeights& layer : layers.subspan(1, layers.size() - 2)) {
    const std::vector<std::size_t> same = same_columns(layer.in(), hidden_stride);
    block.inner.push_back({.weights0 = constants_.add(pack_layer(arithmetics.stage1, layer.weight0, layer.out(), same)),
                           .weights1 = constants_.add(pack_layer(arithmetics.stage1, layer.weight1, layer.out(), same)),
                           .bias = constants_.add(with_zeros(layer.bias, product_columns))});
  }
  std::vector<float> last0;
  std::vector<float> last1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::ranges::copy(gather_column(layers.back().weight0, 3, axis, hidden_stride), std::back_inserter(last0));
    std::ranges::copy(gather_column(layers.back().weight1, 3, axis, hidden_stride), std::back_inserter(last1));
    block.last_bias[axis] = layers.back().bias[axis];
  }
  block.last_weights0 = constants_.add(last0);
  block.last_weights1 = constants_.add(last1);
  blocks.push_back(std::move(block));
}

void ResidentNetwork::add_reasoning(std::span<const GraphConvolutionWeights> layers, std::span<const float> largest) {
  ResidentReasoning& block = reasoning.emplace_back();
  std::vector<float> last0 = with_zeros(layers.back().weight0, reasoning_hidden);
  std::vector<float> last1 = with_zeros(layers.back().weight1, reasoning_hidden);
  if (arithmetics.reasoning == Arithmetic::kFp8) {
    add_fp8_layers(layers.first(layers.size() - 1), largest, block);
    const float scale = fp8_scale(largest.back());
    last0 = fp8_last_weights(last0, scale);
    last1 = fp8_last_weights(last1, scale);
  } else {
    add_layers(layers.first(layers.size() - 1), block);
  }
  block.last_weights0 = constants_.add(last0);
  block.last_weights1 = constants_.add(last1);
  block.last_bias = layers.back().bias.front();
}

void ResidentNetwork::add_layers(std::span<const GraphConvolutionWeights> layers, ResidentReasoning& block) {
  std::vector<std::uint32_t> stream;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const GraphConvolutionWeights& layer = layers[i];
    std::vector<std::size_t> columns = reasoning_columns(i, layer);
    ResidentBlock::Layer& resident = block.layers.emplace_back();
    resident.bias = constants_.add(with_zeros(layer.bias, reasoning_hidden));
    if (!use_hopper_kernel) {
      const auto packed = [&](std::span<const float> weight) {
        // Up to the padded width, so that every warp has weights.
        return pack_weights(arithmetics.reasoning, columns.size(), static_cast<std::size_t>(reasoning_hidden),
                            [&](std::size_t row, std::size_t column) {
                              return column < layer.out() ? weight_at(weight, layer.out(), columns, row, column) : 0.0F;
                            });
      };
      resident.weights0 = constants_.add(packed(layer.weight0));
      resident.weights1 = constants_.add(packed(layer.weight1));
      continue;
    }
    const int depth = padded_to(columns.size(), kWeightDepth);
    columns.resize(static_cast<std::size_t>(depth), kNoColumn);
    for (const auto& weight : {layer.weight1, layer.weight0}) {
      const auto value = [&](int channel, int k) {
        const auto out = static_cast<std::size_t>(channel);
        return out < layer.out() ? weight_at(weight, layer.out(), columns, static_cast<std::size_t>(k), out) : 0.0F;
      };
      append_to_stream(arithmetics.reasoning, reasoning_hidden, depth, value, stream);
    }
  }
  if (use_hopper_kernel) block.weight_stream = constants_.add(stream);
}

void ResidentNetwork::add_fp8_layers(std::span<const GraphConvolutionWeights> layers, std::span<const float> largest,
                                     ResidentReasoning& block) {
  std::vector<std::uint32_t> stream;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const GraphConvolutionWeights& layer = layers[i];
    const std::vector<std::size_t> columns = reasoning_columns(i, layer);
    const auto weight = [&](bool other, int channel, int k) {
      const auto out = static_cast<std::size_t>(channel);
      const auto row = static_cast<std::size_t>(k);
      if (out >= layer.out() || row >= columns.size()) return 0.0F;
      return weight_at(other ? layer.weight1 : layer.weight0, layer.out(), columns, row, out);
    };
    const float input_scale = fp8_scale(largest[i]);
    const float output_scale = fp8_scale(largest[i + 1]);
    const int point_column = i == 0 ? static_cast<int>(layout2.point_column()) : 0;
    const Fp8Layer packed =
        append_fp8_layer(hopper_layout, reasoning_hidden, point_column, input_scale, weight, stream);
    const std::vector<float> bias = packed.bias_in_units(with_zeros(layer.bias, reasoning_hidden));
    block.layers.push_back({.weights0 = {}, .weights1 = {}, .bias = constants_.add(bias)});
    block.gains.push_back(constants_.add(packed.gains(output_scale)));
    // The residual is the input of the previous layer.
    block.residual_gains.push_back(i == 0 ? 0 : fp8_scale(largest[i - 1]) / output_scale);
  }
  block.feature_gain = 1 / fp8_scale(largest.front());
  block.weight_stream = constants_.add(stream);
}

std::vector<std::size_t> ResidentNetwork::reasoning_columns(std::size_t index,
                                                            const GraphConvolutionWeights& layer) const {
  return index == 0 ? feature_columns({}, layout2) : same_columns(layer.in(), reasoning_hidden);
}

void ResidentNetwork::add_local_graph(const Model& model) {
  offsets = constants_.add(std::span<const float>(model.hypotheses.front().data(), 3 * model.hypotheses.size()));
  const std::span<const float> support(model.local_support.data(), model.hypotheses.size() * model.hypotheses.size());
  local_support = constants_.add(support);
  packed_support =
      constants_.add(use_hopper_kernel ? pack_support_operand(arithmetics.stage2, support, model.hypotheses.size())
                                       : pack_support(arithmetics.reasoning, support, model.hypotheses.size()));
}

}  // namespace p2mpp
