#include "backends/cuda/forward_pass.h"

#include <algorithm>
#include <utility>

#include "backends/cuda/tiling.h"
#include "model/model.h"

namespace p2mpp {
namespace {

constexpr const std::uint8_t* kRowsAreKnown = nullptr;  // see EvidenceArguments

}  // namespace

ForwardPass::ForwardPass(DeviceRuntime& runtime, const ResidentNetwork& network, const BatchShape& shape,
                         const InputBuffers& input, const Workspace& workspace, const OutputBuffers& output)
    : runtime_(&runtime), network_(&network), shape_(shape), input_(&input), workspace_(&workspace), output_(&output) {}

void ForwardPass::queue(const PassEvents& events, Intermediates* intermediates) {
  const DeviceStream compute = runtime_->stream(kComputeStream);
  const DeviceStream beside = runtime_->stream(kBesideStream);
  kernels_.fill(0);
  record(events, PassEvent::kBegin, kComputeStream);
  queue_part(Part::kPreprocess, [&] { preprocess(); });
  record(events, PassEvent::kPreprocessed, kComputeStream);
  runtime_->wait_for(beside, compute);
  record(events, PassEvent::kCnn2Begin, kBesideStream);
  queue_part(Part::kCnn2, [&] {
    run_cnn(network_->cnn2, workspace_->stage2, shape_.views2, network_->arithmetics.stage2, kBesideStream);
  });
  record(events, PassEvent::kCnn2End, kBesideStream);
  queue_part(Part::kCnn1, [&] {
    if (shape_.has_initial_mesh()) return;
    run_cnn(network_->cnn1, workspace_->stage1, shape_.views1, network_->arithmetics.stage1, kComputeStream);
  });
  record(events, PassEvent::kCnn1, kComputeStream);
  queue_part(Part::kGcn, [&] {
    if (shape_.has_initial_mesh()) return;
    for (std::size_t level = 0; level < network_->blocks.size(); ++level) run_block(level, intermediates);
  });
  record(events, PassEvent::kGcn, kComputeStream);
  runtime_->wait_for(compute, beside);
  queue_part(Part::kDrb, [&] {
    for (std::size_t block = 0; block < network_->reasoning.size(); ++block) reason(block, intermediates);
  });
  record(events, PassEvent::kEnd, kComputeStream);
}

template <class Work>
void ForwardPass::queue_part(Part part, const Work& work) {
  const DeviceRange range(*runtime_, to_string(part).data());
  part_ = part;
  work();
}

void ForwardPass::check_launch(int status, const char* kernel) {
  runtime_->check_launch(status, kernel);
  ++kernels_[static_cast<std::size_t>(part_)];
}

void ForwardPass::record(const PassEvents& events, PassEvent event, int stream) {
  runtime_->record(events[event], runtime_->stream(stream));
}

void ForwardPass::preprocess() {
  const PreprocessArguments arguments{.pixels = input_->pixels,
                                      .images = input_->images,
                                      .rows = input_->rows,
                                      .columns = input_->columns,
                                      .stage1 = reinterpret_cast<float*>(workspace_->stage1.images),
                                      .stage2 = workspace_->stage2.images,
                                      .masks = workspace_->masks,
                                      .blend = network_->image_rules.alpha == AlphaRule::kBlendOnWhite};
  const Launch launch{.blocks_x = blocks_for(kResizedSide * kResizedSide, kBlockThreads),
                      .blocks_y = shape_.images(),
                      .threads = kBlockThreads};
  const auto kernel = of(runtime_->kernels().preprocess, network_->arithmetics.stage2);
  check_launch(kernel(launch, arguments, runtime_->stream(kComputeStream)), "preprocess");
  if (network_->mask_evidence) find_evidence();
}

void ForwardPass::find_evidence() {
  const Launch launch{.blocks_x = blocks_for(kResizedSide * kResizedSide, kBlockThreads),
                      .blocks_y = shape_.samples * shape_.views2,
                      .threads = kBlockThreads};
  for (const std::uint8_t* masks : {static_cast<const std::uint8_t*>(workspace_->masks), kRowsAreKnown}) {
    const EvidenceArguments arguments{.masks = masks, .rows = workspace_->mask_rows, .evidence = workspace_->evidence};
    check_launch(runtime_->kernels().find_evidence(launch, arguments, runtime_->stream(kComputeStream)), "evidence");
  }
}

void ForwardPass::run_cnn(std::span<const ResidentConvolution> cnn, const Workspace::Maps& maps, int views,
                          Arithmetic arithmetic, int stream) {
  const std::byte* input = maps.images;
  for (std::size_t i = 0; i < cnn.size(); ++i) {
    const ResidentConvolution& layer = cnn[i];
    const int pixels_of_sample = views * layer.output_side * layer.output_side;
    const ConvolutionArguments arguments{.input = input,
                                         .output = maps.layers[i],
                                         .weights = network_->pointer(layer.weights),
                                         .bias = network_->pointer(layer.bias),
                                         .output_pixels = std::int64_t{shape_.samples} * pixels_of_sample,
                                         .input_height = layer.input_side,
                                         .input_width = layer.input_side,
                                         .input_stride = layer.input_stride,
                                         .output_height = layer.output_side,
                                         .output_width = layer.output_side,
                                         .output_stride = layer.output_stride,
                                         .kernel = layer.kernel,
                                         .stride = layer.stride,
                                         .border_before = layer.border_before,
                                         .slices = 1};
    convolve(arguments, layer.pairs, arithmetic, stream, "convolution");
    input = maps.layers[i];
  }
}

// Launches a convolution with the number of slices that suits the layer.
void ForwardPass::convolve(ConvolutionArguments arguments, int pairs, Arithmetic arithmetic, int stream,
                           const char* name) {
  const auto pixels_of_sample = static_cast<int>(arguments.output_pixels / shape_.samples);
  const int steps = arguments.kernel * arguments.kernel * arguments.input_stride / depth_of(arithmetic);
  arguments.slices = count_slices(pixels_of_sample, pairs, steps);
  const Launch launch{
      .blocks_x = blocks_for(arguments.output_pixels, kConvolutionWarpPixels * (kBlockWarps / arguments.slices)),
      .blocks_y = pairs,
      .threads = kBlockThreads,
      .shared_bytes = convolution_shared_bytes(arguments.slices)};
  const auto kernel = of(runtime_->kernels().convolve, arithmetic);
  check_launch(kernel(launch, arguments, runtime_->stream(stream)), name);
}

LookupArguments ForwardPass::lookup(int stage) const {
  const bool first = stage == 1;
  const std::span<const std::size_t> layers_read =
      first ? std::span<const std::size_t>(kStage1Maps) : std::span<const std::size_t>(kStage2Maps);
  const auto& cnn = first ? network_->cnn1 : network_->cnn2;
  const ProjectionLayout& layout = first ? network_->layout1 : network_->layout2;
  const ProjectionRules rules = first ? stage1_rules(network_->semantics) : stage2_rules(network_->semantics);
  LookupArguments arguments{.transforms = first ? input_->stage1 : input_->stage2,
                            .maps = {},
                            .map_count = static_cast<int>(layers_read.size()),
                            .views = first ? shape_.views1 : shape_.views2,
                            .sampling = rules.sampling,
                            .view_index_scaled = rules.view_index_scaled};
  for (std::size_t i = 0; i < layers_read.size(); ++i) {
    const ResidentConvolution& layer = cnn[layers_read[i]];
    arguments.maps[i] = {.values = (first ? workspace_->stage1 : workspace_->stage2).layers[layers_read[i]],
                         .side = layer.output_side,
                         .stride = layer.output_stride,
                         .cells_per_pixel = static_cast<float>(layer.output_side) / static_cast<float>(kImageSize),
                         .column = static_cast<int>(layout.map_column(i))};
  }
  return arguments;
}

DeviceSupport ForwardPass::support(const ResidentLevel& level) const {
  return {network_->pointer(level.first), network_->pointer(level.column), network_->pointer(level.weight)};
}

// The output of a block's last inner layer.
const float* ForwardPass::last_hidden(std::size_t level) const {
  return workspace_->hidden[level % 2][network_->blocks[level].inner.size() % 2];
}

void ForwardPass::run_block(std::size_t level, Intermediates* intermediates) {
  const ResidentBlock& block = network_->blocks[level];
  const int vertices = network_->levels[level].vertices;
  const int coarse = level == 0 ? vertices : network_->levels[level - 1].vertices;
  // Unpooling and the product are both linear. If features are unpooled, multiplying first handles only a quarter of
  // the rows.
  const int rows = unpools_features(network_->semantics) ? coarse : vertices;
  project(level, rows, coarse);
  if (level == 0 && intermediates != nullptr) {
    const auto count = static_cast<std::size_t>(vertices);
    const auto stride = static_cast<std::size_t>(block.input_stride);
    std::vector<float> features;
    copy_now(features, workspace_->features, count * stride);
    intermediates->stage1_projection = network_->layout1.in_checkpoint_order(features.data(), count, stride);
  }
  multiply_first(block, rows);
  combine(level, rows, workspace_->hidden[level % 2][0]);
  run_inner_layers(level);
  find_coordinates(level, last_hidden(level));
}

void ForwardPass::project(std::size_t level, int rows, int coarse_rows) {
  const ResidentBlock& block = network_->blocks[level];
  const bool first = level == 0;
  const ProjectionArguments arguments{
      .lookup = lookup(1),
      .coarse_vertices = first ? network_->pointer(network_->template_vertices) : output_->coarse[level - 1],
      .shared_vertices = first,
      .hidden = first ? nullptr : last_hidden(level - 1),
      .edges = first ? nullptr : network_->pointer(network_->levels[level - 1].edges),
      .output = workspace_->features,
      .vertex_count = rows,
      .coarse_count = coarse_rows,
      .hidden_stride = block.hidden_columns,
      .point_column = block.hidden_columns + static_cast<int>(network_->layout1.point_column()),
      .stride = block.input_stride};
  const Launch launch{.blocks_x = blocks_for(rows, kBlockWarps),
                      .blocks_y = shape_.samples,
                      .threads = kBlockThreads,
                      .shared_bytes = kProjectionSharedBytes};
  check_launch(runtime_->kernels().project(launch, arguments, runtime_->stream(kComputeStream)), "projection");
}

void ForwardPass::multiply_first(const ResidentBlock& block, int rows_of_sample) {
  const ConvolutionArguments arguments{.input = workspace_->features,
                                       .output = workspace_->products,
                                       .weights = network_->pointer(block.first_weights),
                                       .bias = nullptr,
                                       .output_pixels = std::int64_t{shape_.samples} * rows_of_sample,
                                       .input_height = 1,
                                       .input_width = 1,
                                       .input_stride = block.input_stride,
                                       .output_height = 1,
                                       .output_width = 1,
                                       .output_stride = 2 * network_->product_columns,
                                       .kernel = 1,
                                       .stride = 1,
                                       .border_before = 0,
                                       .slices = 1};
  const int pairs = 2 * network_->product_columns / kPairChannels;
  convolve(arguments, pairs, network_->arithmetics.stage1, kComputeStream, "first layer");
}

void ForwardPass::combine(std::size_t level, int product_rows, float* out) {
  const ResidentLevel& here = network_->levels[level];
  const bool unpools = product_rows < here.vertices;
  const CombineArguments arguments{.products = workspace_->products,
                                   .output = out,
                                   .bias = network_->pointer(network_->blocks[level].first_bias),
                                   .support = support(here),
                                   .edges = unpools ? network_->pointer(network_->levels[level - 1].edges) : nullptr,
                                   .vertex_count = here.vertices,
                                   .product_rows = product_rows,
                                   .padded = network_->product_columns,
                                   .stride = network_->hidden_stride};
  const Launch launch{.blocks_x = blocks_for(std::int64_t{here.vertices} * network_->hidden_stride / 4, kBlockThreads),
                      .blocks_y = shape_.samples,
                      .threads = kBlockThreads};
  check_launch(runtime_->kernels().combine(launch, arguments, runtime_->stream(kComputeStream)), "first layer's end");
}

// If all thread blocks of a layer fit on the device at once, the layers are joined into one launch: synchronising
// between them costs less than separate launches. The resulting bytes are the same.
void ForwardPass::run_inner_layers(std::size_t level) {
  const ResidentLevel& here = network_->levels[level];
  const Arithmetic arithmetic = network_->arithmetics.stage1;
  const auto& inner = network_->blocks[level].inner;
  const int tiles = blocks_for(here.vertices, kGraphVertices);
  Launch launch{
      .blocks_x = tiles,
      .blocks_y = shape_.samples,
      .threads = graph_threads(network_->hidden_pairs),
      .shared_bytes = graph_shared_bytes(network_->hidden_stride, depth_of(arithmetic), network_->hidden_pairs)};
  GraphLayersArguments layers{.layer = {.input = nullptr,
                                        .output = nullptr,
                                        .weights0 = nullptr,
                                        .weights1 = nullptr,
                                        .bias = nullptr,
                                        .support = support(here),
                                        .vertex_count = here.vertices,
                                        .stride = network_->hidden_stride,
                                        .averages_before = false},
                              .states = {workspace_->hidden[level % 2][0], workspace_->hidden[level % 2][1]},
                              .layers = {},
                              .layer_count = 0,
                              .tiles = tiles,
                              .arrivals = input_->arrivals + level * static_cast<std::size_t>(shape_.samples)};
  const bool joined = tiles * shape_.samples <= runtime_->multiprocessors() && inner.size() <= kMostJoinedLayers;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    const std::size_t layer = i + 1;
    layers.layers[layers.layer_count++] = {.weights0 = network_->pointer(inner[i].weights0),
                                           .weights1 = network_->pointer(inner[i].weights1),
                                           .bias = network_->pointer(inner[i].bias),
                                           .averages_before = has_residual(layer)};
    if (joined && layer < inner.size()) continue;
    launch.cooperative = layers.layer_count > 1;
    const auto kernel = of(runtime_->kernels().convolve_graph, arithmetic);
    check_launch(kernel(launch, layers, runtime_->stream(kComputeStream)), "graph convolution");
    layers.layer_count = 0;
    std::swap(layers.states[0], layers.states[1]);
  }
}

void ForwardPass::find_coordinates(std::size_t level, const float* hidden) {
  const ResidentLevel& here = network_->levels[level];
  const ResidentBlock& block = network_->blocks[level];
  const CoordinatesArguments arguments{.input = hidden,
                                       .output = output_->coarse[level],
                                       .weights0 = network_->pointer(block.last_weights0),
                                       .weights1 = network_->pointer(block.last_weights1),
                                       .bias = {block.last_bias[0], block.last_bias[1], block.last_bias[2]},
                                       .support = support(here),
                                       .vertex_count = here.vertices,
                                       .stride = network_->hidden_stride};
  const Launch launch{
      .blocks_x = blocks_for(here.vertices, kBlockWarps), .blocks_y = shape_.samples, .threads = kBlockThreads};
  check_launch(runtime_->kernels().find_coordinates(launch, arguments, runtime_->stream(kComputeStream)),
               "coordinates");
}

void ForwardPass::reason(std::size_t block, Intermediates* intermediates) {
  const ResidentReasoning& resident = network_->reasoning[block];
  const bool initial = shape_.has_initial_mesh();
  const int vertices = initial ? shape_.vertices : network_->levels.back().vertices;
  const float* first = initial ? input_->vertices : output_->coarse.back();
  ReasoningArguments arguments{.lookup = lookup(2),
                               .vertices = block == 0 ? first : output_->refined[block - 1],
                               .moved = output_->refined[block],
                               .vertex_count = shape_.samples * vertices,
                               .vertices_per_sample = vertices,
                               .offsets = network_->pointer(network_->offsets),
                               .hypotheses = network_->hypotheses,
                               .support_fragments = network_->pointer(network_->packed_support),
                               .support = network_->pointer(network_->local_support),
                               .layers = {},
                               .layer_count = static_cast<int>(resident.layers.size()),
                               .features = network_->reasoning_features,
                               .point_column = static_cast<int>(network_->layout2.point_column()),
                               .evidence = workspace_->evidence,
                               .layout = network_->reasoning_layout,
                               .vertex_threads = network_->vertex_threads,
                               .hidden = network_->reasoning_hidden,
                               .last_weights0 = network_->pointer(resident.last_weights0),
                               .last_weights1 = network_->pointer(resident.last_weights1),
                               .last_bias = resident.last_bias,
                               .feature_gain = resident.feature_gain,
                               .hopper = network_->hopper_layout,
                               .weight_stream = network_->pointer(resident.weight_stream),
                               .support_operand = network_->pointer(network_->packed_support),
                               .rectified = rectifies_scores(network_->semantics),
                               .traced_features = nullptr,
                               .traced_scores = nullptr};
  for (std::size_t i = 0; i < resident.layers.size(); ++i) {
    const ResidentBlock::Layer& layer = resident.layers[i];
    arguments.layers[i] = {.weights0 = network_->pointer(layer.weights0),
                           .weights1 = network_->pointer(layer.weights1),
                           .bias = network_->pointer(layer.bias),
                           .gain = nullptr,
                           .residual_gain = 0};
    if (resident.gains.empty()) continue;
    arguments.layers[i].gain = network_->pointer(resident.gains[i]);
    arguments.layers[i].residual_gain = resident.residual_gains[i];
  }
  const std::size_t rows =
      static_cast<std::size_t>(arguments.vertex_count) * static_cast<std::size_t>(network_->hypotheses);
  const auto width = static_cast<std::size_t>(network_->reasoning_features);
  DeviceBlock trace;
  if (intermediates != nullptr) {
    trace = DeviceBlock(*runtime_, rows * (width + 1) * sizeof(float));
    arguments.traced_features = reinterpret_cast<float*>(trace.data());
    arguments.traced_scores = arguments.traced_features + rows * width;
  }
  launch_reasoning(arguments);
  if (intermediates == nullptr) return;
  const std::size_t sample_rows = rows / static_cast<std::size_t>(shape_.samples);
  std::vector<float> features;
  copy_now(features, arguments.traced_features, sample_rows * width);
  intermediates->stage2_projection.push_back(
      network_->layout2.in_checkpoint_order(features.data(), sample_rows, width));
  copy_now(intermediates->scores.emplace_back(), arguments.traced_scores, sample_rows);
}

void ForwardPass::launch_reasoning(const ReasoningArguments& arguments) {
  const Arithmetic arithmetic = network_->arithmetics.reasoning;
  if (network_->use_hopper_kernel) {
    const Launch launch{.blocks_x = blocks_for(arguments.vertex_count, hopper_vertices(network_->reasoning_rows)),
                        .blocks_y = 1,
                        .threads = hopper_threads(arguments.hidden),
                        .shared_bytes = static_cast<std::size_t>(arguments.hopper.bytes)};
    const auto kernel = of(runtime_->kernels().reason_on_hopper, arithmetic);
    return check_launch(kernel(launch, arguments, runtime_->stream(kComputeStream)), "deformation reasoning, Hopper");
  }
  const int vertices = network_->vertices_per_block;
  const Launch launch{.blocks_x = blocks_for(arguments.vertex_count, vertices),
                      .blocks_y = 1,
                      .threads = vertices * arguments.vertex_threads,
                      .shared_bytes = static_cast<std::size_t>(vertices * arguments.layout.vertex_bytes)};
  const auto kernel = of(runtime_->kernels().reason, arithmetic);
  check_launch(kernel(launch, arguments, runtime_->stream(kComputeStream)), "deformation reasoning");
}

void ForwardPass::copy_now(std::vector<float>& to, const float* from, std::size_t count) {
  to.resize(count);
  runtime_->copy_to_host(to.data(), from, count * sizeof(float), runtime_->stream(kComputeStream));
  runtime_->synchronize(runtime_->stream(kComputeStream));
}

}  // namespace p2mpp
