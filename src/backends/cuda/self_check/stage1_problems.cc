#include "backends/cuda/self_check/stage1_problems.h"

#include <cmath>

#include "backends/common/projection.h"
#include "backends/cuda/packed_weights.h"
#include "backends/cuda/tiling.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

DeviceSupport upload(DeviceArrays& arrays, const DrawnSupport& support) {
  return {arrays.upload(support.first), arrays.upload(support.column), arrays.upload(support.weight)};
}

std::vector<float> padded_bias(std::vector<float> bias, int size) {
  bias.resize(static_cast<std::size_t>(size));
  return bias;
}

// [in, out], with rows padded as the kernels require.
const std::uint32_t* upload_weight(DeviceArrays& arrays, Arithmetic arithmetic, std::span<const float> weight,
                                   std::size_t in) {
  const std::size_t out = weight.size() / in;
  return arrays.upload(pack_weights(arithmetic, padded_channels(in), out, [&](std::size_t row, std::size_t column) {
    return row < in ? weight[row * out + column] : 0.0F;
  }));
}

void convolve(DeviceArrays& arrays, Arithmetic arithmetic, const ConvolutionArguments& arguments, int pairs) {
  const Launch launch{
      .blocks_x = blocks_for(arguments.output_pixels, kConvolutionWarpPixels * (kBlockWarps / arguments.slices)),
      .blocks_y = pairs,
      .threads = kBlockThreads,
      .shared_bytes = convolution_shared_bytes(arguments.slices)};
  arrays.check_launch(of(arrays.kernels().convolve, arithmetic)(launch, arguments, arrays.stream()), "convolution");
}

}  // namespace

std::vector<float> convolved_on(DeviceRuntime& runtime, const DrawnConvolution& drawn, Arithmetic arithmetic,
                                int slices) {
  DeviceArrays arrays(runtime);
  const ConvolutionSizes& sizes = drawn.sizes;
  const std::size_t pixel = padded_channels(sizes.in);
  const std::size_t stride = padded_channels(sizes.out);
  const auto area = static_cast<std::size_t>(sizes.kernel * sizes.kernel);
  const int pairs = blocks_for(static_cast<std::int64_t>(sizes.out), kPairChannels);
  const int side = drawn.output_side();
  const auto pixels = static_cast<std::size_t>(sizes.images * side * side);
  const OperandArray input(arrays, arithmetic, padded_rows(drawn.pixels, sizes.in, pixel));
  const OperandArray output(arrays, arithmetic, std::vector<float>(pixels * stride, NAN));
  const auto packed = pack_weights(arithmetic, area * pixel, sizes.out, [&](std::size_t row, std::size_t out) {
    const std::size_t in = row % pixel;
    return in < sizes.in ? drawn.weight[(out * sizes.in + in) * area + row / pixel] : 0.0F;
  });
  const ConvolutionArguments arguments{
      .input = input.data(),
      .output = output.data(),
      .weights = arrays.upload(packed),
      .bias = arrays.upload(padded_bias(drawn.bias, pairs * kPairChannels)),
      .output_pixels = static_cast<std::int64_t>(pixels),
      .input_height = sizes.side,
      .input_width = sizes.side,
      .input_stride = static_cast<int>(pixel),
      .output_height = side,
      .output_width = side,
      .output_stride = static_cast<int>(stride),
      .kernel = sizes.kernel,
      .stride = sizes.stride,
      .border_before = std::max((side - 1) * sizes.stride + sizes.kernel - sizes.side, 0) / 2,
      .slices = slices};
  convolve(arrays, arithmetic, arguments, pairs);
  const std::vector<float> all = output.download();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % stride >= sizes.out && all[i] != 0) throw Error("the padding between channels is not zero");
  }
  return without_padding(all, stride, sizes.out);
}

std::vector<float> multiplied_on(DeviceRuntime& runtime, Arithmetic arithmetic, std::span<const float> x,
                                 std::span<const float> weight, std::size_t in) {
  DeviceArrays arrays(runtime);
  const std::size_t out = weight.size() / in;
  const std::size_t rows = x.size() / in;
  const int pairs = blocks_for(static_cast<std::int64_t>(out), kPairChannels);
  const auto stride = static_cast<std::size_t>(pairs * kPairChannels);
  float* output = arrays.make(rows * stride);
  const ConvolutionArguments arguments{.input = arrays.upload(padded_rows(x, in, padded_channels(in))),
                                       .output = output,
                                       .weights = upload_weight(arrays, arithmetic, weight, in),
                                       .bias = nullptr,
                                       .output_pixels = static_cast<std::int64_t>(rows),
                                       .input_height = 1,
                                       .input_width = 1,
                                       .input_stride = static_cast<int>(padded_channels(in)),
                                       .output_height = 1,
                                       .output_width = 1,
                                       .output_stride = static_cast<int>(stride),
                                       .kernel = 1,
                                       .stride = 1,
                                       .border_before = 0,
                                       .slices = 1};
  convolve(arrays, arithmetic, arguments, pairs);
  return without_padding(arrays.download(output, rows * stride), stride, out);
}

bool fits_together(const DeviceRuntime& runtime, const DrawnGraph& drawn) {
  return blocks_for(static_cast<std::int64_t>(drawn.vertices), kGraphVertices) * static_cast<int>(drawn.samples) <=
         runtime.multiprocessors();
}

std::vector<float> graph_convolved_on(DeviceRuntime& runtime, const DrawnGraph& drawn, Arithmetic arithmetic,
                                      GraphLaunch how) {
  DeviceArrays arrays(runtime);
  const std::size_t stride = padded_channels(drawn.channels);
  const int pairs = blocks_for(static_cast<std::int64_t>(drawn.channels), kPairChannels);
  const std::vector<float> input = padded_rows(drawn.input, drawn.channels, stride);
  GraphLayersArguments arguments{.layer = {.input = nullptr,
                                           .output = nullptr,
                                           .weights0 = nullptr,
                                           .weights1 = nullptr,
                                           .bias = nullptr,
                                           .support = upload(arrays, drawn.support),
                                           .vertex_count = static_cast<int>(drawn.vertices),
                                           .stride = static_cast<int>(stride),
                                           .averages_before = false},
                                 .states = {arrays.upload(input), arrays.make(input.size())},
                                 .layers = {},
                                 .layer_count = 0,
                                 .tiles = blocks_for(static_cast<std::int64_t>(drawn.vertices), kGraphVertices),
                                 .arrivals = arrays.upload(std::vector<std::uint32_t>(drawn.samples))};
  Launch launch{.blocks_x = arguments.tiles,
                .blocks_y = static_cast<int>(drawn.samples),
                .threads = graph_threads(pairs),
                .shared_bytes = graph_shared_bytes(static_cast<int>(stride), depth_of(arithmetic), pairs)};
  const std::size_t count = drawn.layers.values.size();
  for (std::size_t i = 0; i < count; ++i) {
    const DrawnLayers::Layer& layer = drawn.layers.values[i];
    arguments.layers[arguments.layer_count++] = {
        .weights0 = upload_weight(arrays, arithmetic, layer.weight0, drawn.channels),
        .weights1 = upload_weight(arrays, arithmetic, layer.weight1, drawn.channels),
        .bias = arrays.upload(padded_bias(layer.bias, pairs * kPairChannels)),
        .averages_before = DrawnGraph::averages(i)};
    if (how == GraphLaunch::kTogether && i + 1 < count) continue;
    launch.cooperative = arguments.layer_count > 1;
    const auto queue = [&] {
      arrays.check_launch(of(arrays.kernels().convolve_graph, arithmetic)(launch, arguments, arrays.stream()),
                          "graph convolution");
    };
    launch.cooperative ? arrays.run_in_order(queue) : queue();
    if (arguments.layer_count % 2 == 1) std::swap(arguments.states[0], arguments.states[1]);
    arguments.layer_count = 0;
  }
  return without_padding(arrays.download(arguments.states[0], input.size()), stride, drawn.channels);
}

DrawnLevel::DrawnLevel(Draw& draw, std::size_t coarse_count, std::size_t edge_count, std::size_t channel_count)
    : coarse(coarse_count),
      channels(channel_count),
      edges([&] {
        std::vector<std::int32_t> ends(2 * edge_count);
        for (std::int32_t& end : ends) end = static_cast<std::int32_t>(draw.whole(0, coarse - 1));
        return ends;
      }()),
      support(draw, count(), 6),
      hidden(draw.values(coarse * channels)),
      own(draw.values(coarse * channels)),
      others(draw.values(coarse * channels)),
      bias(draw.values(channels)),
      to_coordinates(draw, std::array<std::size_t, 2>{channels, 3}) {}

std::vector<float> combined_on(DeviceRuntime& runtime, const DrawnLevel& drawn) {
  DeviceArrays arrays(runtime);
  const std::size_t stride = padded_channels(drawn.channels);
  const auto padded =
      static_cast<std::size_t>(blocks_for(static_cast<std::int64_t>(drawn.channels), kPairChannels) * kPairChannels);
  std::vector<float> products(drawn.coarse * 2 * padded);
  for (std::size_t i = 0; i < drawn.own.size(); ++i) {
    float* row = products.data() + i / drawn.channels * 2 * padded;
    row[i % drawn.channels] = drawn.own[i];
    row[padded + i % drawn.channels] = drawn.others[i];
  }
  float* output = arrays.make(drawn.count() * stride);
  const CombineArguments arguments{.products = arrays.upload(products),
                                   .output = output,
                                   .bias = arrays.upload(padded_bias(drawn.bias, static_cast<int>(stride))),
                                   .support = upload(arrays, drawn.support),
                                   .edges = arrays.upload(drawn.edges),
                                   .vertex_count = static_cast<int>(drawn.count()),
                                   .product_rows = static_cast<int>(drawn.coarse),
                                   .padded = static_cast<int>(padded),
                                   .stride = static_cast<int>(stride)};
  const auto items = static_cast<std::int64_t>(drawn.count() * stride / 4);
  const Launch launch{.blocks_x = blocks_for(items, kBlockThreads), .threads = kBlockThreads};
  arrays.check_launch(arrays.kernels().combine(launch, arguments, arrays.stream()), "first layer's end");
  return without_padding(arrays.download(output, drawn.count() * stride), stride, drawn.channels);
}

std::vector<double> expected_combined(const DrawnLevel& drawn) {
  plain::Matrix own = plain::unpool(plain::as_matrix(drawn.own, drawn.channels), drawn.edges);
  const plain::Matrix others = plain::sum_neighbours(
      drawn.support.rows(), plain::unpool(plain::as_matrix(drawn.others, drawn.channels), drawn.edges));
  for (std::size_t i = 0; i < own.values.size(); ++i) {
    own.values[i] += others.values[i] + static_cast<double>(drawn.bias[i % drawn.channels]);
  }
  return plain::end_layer(std::move(own), {}, plain::Shortcut::kIgnored).values;
}

std::vector<float> coordinates_on(DeviceRuntime& runtime, const DrawnLevel& drawn) {
  DeviceArrays arrays(runtime);
  const std::size_t stride = padded_channels(drawn.channels);
  const DrawnLayers::Layer& layer = drawn.to_coordinates.values.front();
  const auto by_axis = [&](const std::vector<float>& weight) {
    std::vector<float> columns(3 * stride);
    for (std::size_t i = 0; i < weight.size(); ++i) columns[i % 3 * stride + i / 3] = weight[i];
    return arrays.upload(columns);
  };
  float* output = arrays.make(3 * drawn.count());
  const CoordinatesArguments arguments{.input = arrays.upload(padded_rows(drawn.hidden, drawn.channels, stride)),
                                       .output = output,
                                       .weights0 = by_axis(layer.weight0),
                                       .weights1 = by_axis(layer.weight1),
                                       .bias = {layer.bias[0], layer.bias[1], layer.bias[2]},
                                       .support = upload(arrays, drawn.support),
                                       .vertex_count = static_cast<int>(drawn.count()),
                                       .stride = static_cast<int>(stride)};
  const Launch launch{.blocks_x = blocks_for(arguments.vertex_count, kBlockWarps), .threads = kBlockThreads};
  arrays.check_launch(arrays.kernels().find_coordinates(launch, arguments, arrays.stream()), "coordinates");
  return arrays.download(output, 3 * drawn.count());
}

std::vector<double> expected_coordinates(const DrawnLevel& drawn) {
  return plain::convolve_graph(plain::as_matrix(drawn.hidden, drawn.channels), drawn.to_coordinates.layers().front(),
                               drawn.support.rows())
      .values;
}

LookupArguments upload_views(DeviceArrays& arrays, Arithmetic arithmetic, const ProjectionRules& rules,
                             const DrawnViews& views) {
  const ProjectionLayout layout(views.channels());
  LookupArguments lookup{.transforms = arrays.upload(view_transforms(views.cameras, rules)),
                         .maps = {},
                         .map_count = static_cast<int>(views.maps.size()),
                         .views = static_cast<int>(views.cameras.views.size()),
                         .sampling = rules.sampling,
                         .view_index_scaled = rules.view_index_scaled};
  for (std::size_t i = 0; i < views.maps.size(); ++i) {
    const plain::Map& map = views.maps[i];
    const std::vector<float> values(map.values.begin(), map.values.end());
    const std::size_t stride = padded_channels(map.channels);
    lookup.maps[i] = {.values = OperandArray(arrays, arithmetic, padded_rows(values, map.channels, stride)).data(),
                      .side = map.side,
                      .stride = static_cast<int>(stride),
                      .cells_per_pixel = static_cast<float>(map.side) / static_cast<float>(kImageSize),
                      .column = static_cast<int>(layout.map_column(i))};
  }
  return lookup;
}

std::vector<float> projected_on(DeviceRuntime& runtime, const DrawnLevel& drawn, const ProjectionRules& rules,
                                const DrawnViews& views, std::span<const float> points) {
  DeviceArrays arrays(runtime);
  const ProjectionLayout layout(views.channels());
  const std::size_t hidden = padded_channels(drawn.channels);
  const std::size_t stride = hidden + padded_channels(layout.width());
  float* output = arrays.make(drawn.count() * stride);
  const ProjectionArguments arguments{
      .lookup = upload_views(arrays, Arithmetic::kFp32, rules, views),
      .coarse_vertices = arrays.upload(std::vector<float>(points.begin(), points.end())),
      .shared_vertices = false,
      .hidden = arrays.upload(padded_rows(drawn.hidden, drawn.channels, hidden)),
      .edges = arrays.upload(drawn.edges),
      .output = output,
      .vertex_count = static_cast<int>(drawn.count()),
      .coarse_count = static_cast<int>(drawn.coarse),
      .hidden_stride = static_cast<int>(hidden),
      .point_column = static_cast<int>(hidden + layout.point_column()),
      .stride = static_cast<int>(stride)};
  const Launch launch{.blocks_x = blocks_for(arguments.vertex_count, kBlockWarps),
                      .threads = kBlockThreads,
                      .shared_bytes = kProjectionSharedBytes};
  arrays.check_launch(arrays.kernels().project(launch, arguments, arrays.stream()), "projection");
  const std::vector<float> rows = arrays.download(output, drawn.count() * stride);
  const std::vector<float> features = layout.in_checkpoint_order(rows.data() + hidden, drawn.count(), stride);
  const std::size_t width = layout.checkpoint_width();
  std::vector<float> found;
  for (std::size_t vertex = 0; vertex < drawn.count(); ++vertex) {
    const float* row = rows.data() + vertex * stride;
    found.insert(found.end(), features.data() + vertex * width, features.data() + (vertex + 1) * width);
    found.insert(found.end(), row, row + drawn.channels);
  }
  return found;
}

std::vector<double> expected_projected(const DrawnLevel& drawn, const ProjectionRules& rules, const DrawnViews& views,
                                       std::span<const float> points) {
  // The kernel rounds midpoints to float before it projects them.
  const plain::Matrix all = plain::unpool(plain::as_matrix(points, 3), drawn.edges);
  const plain::Matrix features =
      plain::look_up(rules, views.cameras, views.maps, std::vector<float>(all.values.begin(), all.values.end()));
  const plain::Matrix hidden = plain::unpool(plain::as_matrix(drawn.hidden, drawn.channels), drawn.edges);
  std::vector<double> expected;
  for (std::size_t vertex = 0; vertex < drawn.count(); ++vertex) {
    expected.insert(expected.end(), features.row(vertex), features.row(vertex) + features.columns);
    expected.insert(expected.end(), hidden.row(vertex), hidden.row(vertex) + hidden.columns);
  }
  return expected;
}

}  // namespace p2mpp
