#pragma once

#include "backends/cuda/arguments.h"
#include "backends/cuda/kernels/product.h"
#include "backends/cuda/tiling.h"

namespace p2mpp::cuda {
namespace {

P2MPP_DEVICE void add_scaled(float weight, const float (&values)[4], float (&sums)[4]) {
  P2MPP_UNROLL
  for (int i = 0; i < 4; ++i) sums[i] += weight * values[i];
}

/// One layer, or several in one launch. Grid: tiles of 16 vertices, samples. The tile's rows and the sums over their
/// neighbours go to shared memory. Then half of the warps multiply the rows by W0, and the other half multiply the sums
/// by W1, one pair of tiles of channels per warp.
template <class P>
struct ConvolveGraph {
  using Arguments = GraphLayersArguments;
  using Layer = GraphConvolutionArguments;
  static constexpr int kThreads = graph_threads(kMostGraphPairs);  // maximum
  static constexpr int kBlocksAtOnce = 1;
  static constexpr int kRowTiles = kGraphRowTiles;

  /// rows, neighbours: [kGraphVertices, row_stride] in shared memory.
  P2MPP_DEVICE static void gather(const Layer& arguments, const float* input, int first_vertex, int row_stride,
                                  float* rows, float* neighbours) {
    const int pieces = arguments.stride / 4;
    for (int item = thread_index(); item < kGraphVertices * pieces; item += block_threads()) {
      const int row = item / pieces;
      const int channel = item % pieces * 4;
      const int vertex = first_vertex + row;
      float own[4] = {0, 0, 0, 0};
      float sums[4] = {0, 0, 0, 0};
      if (vertex < arguments.vertex_count) {
        FloatElements::load(input + vertex * arguments.stride + channel, own);
        const int end = arguments.support.first[vertex + 1];
        for (int i = arguments.support.first[vertex]; i < end; ++i) {
          float values[4];
          FloatElements::load(input + arguments.support.column[i] * arguments.stride + channel, values);
          add_scaled(arguments.support.weight[i], values, sums);
        }
      }
      P::store(own, rows + row * row_stride + channel);
      P::store(sums, neighbours + row * row_stride + channel);
    }
  }

  P2MPP_DEVICE static void write(const Layer& arguments, const Sums<1, kRowTiles>& sums, float* output,
                                 int first_vertex, int pair) {
    const int channel = pair * kPairChannels + first_channel(lane_index());
    if (channel >= arguments.stride) return;
    float bias[4];
    FloatElements::load(arguments.bias + channel, bias);
    P2MPP_UNROLL
    for (int j = 0; j < kRowTiles; ++j) {
      P2MPP_UNROLL
      for (int second = 0; second < 2; ++second) {
        const int vertex = first_vertex + j * kTileRows + first_row(lane_index()) + second;
        if (vertex >= arguments.vertex_count) continue;
        float* at = output + vertex * arguments.stride + channel;
        float values[4];
        sums.take(0, j, second, values);
        float before[4] = {0, 0, 0, 0};
        if (arguments.averages_before) FloatElements::load(at, before);
        P2MPP_UNROLL
        for (int i = 0; i < 4; ++i) {
          values[i] += bias[i];
          values[i] = values[i] < 0 ? 0 : values[i];
          if (arguments.averages_before) values[i] = (values[i] + before[i]) * 0.5F;
        }
        FloatElements::store(values, at);
      }
    }
  }

  P2MPP_DEVICE static void run_layer(const Layer& arguments) {
    const int first_vertex = block_x() * kGraphVertices;
    const auto sample_offset = static_cast<std::size_t>(block_y()) * static_cast<std::size_t>(arguments.vertex_count) *
                               static_cast<std::size_t>(arguments.stride);
    const int row_stride = shared_stride(arguments.stride, P::kDepth);
    float* rows = reinterpret_cast<float*>(shared_memory());
    float* neighbours = rows + kGraphVertices * row_stride;
    float* left_sums = neighbours + kGraphVertices * row_stride;
    gather(arguments, arguments.input + sample_offset, first_vertex, row_stride, rows, neighbours);
    block_barrier();
    const int pairs = block_threads() / graph_threads(1);
    const int pair = warp_index() % pairs;
    const bool takes_neighbours = warp_index() >= pairs;
    const int steps = arguments.stride / P::kDepth;
    Sums<1, kRowTiles> sums;
    sums.clear();
    SharedCursor<P> cursor(takes_neighbours ? neighbours : rows, row_stride);
    const std::uint32_t* weights = takes_neighbours ? arguments.weights1 : arguments.weights0;
    multiply<P, 1>(sums, weights + static_cast<std::size_t>(pair * steps) * kPairWords<P>, 0, steps, cursor);
    float* flat = &sums.at[0][0][0];
    float* mine = left_sums + pair * 32 * kGraphLaneSums + lane_index();
    if (takes_neighbours) {
      P2MPP_UNROLL
      for (int i = 0; i < kGraphLaneSums; ++i) mine[32 * i] = flat[i];
    }
    block_barrier();
    if (takes_neighbours) return;
    P2MPP_UNROLL
    for (int i = 0; i < kGraphLaneSums; ++i) flat[i] += mine[32 * i];
    write(arguments, sums, arguments.output + sample_offset, first_vertex, pair);
  }

  P2MPP_DEVICE static void run(const Arguments& arguments) {
    Layer layer = arguments.layer;
    P2MPP_DO_NOT_UNROLL
    for (int i = 0; i < arguments.layer_count; ++i) {
      layer.input = arguments.states[i % 2];
      layer.output = arguments.states[1 - i % 2];
      layer.weights0 = arguments.layers[i].weights0;
      layer.weights1 = arguments.layers[i].weights1;
      layer.bias = arguments.layers[i].bias;
      layer.averages_before = arguments.layers[i].averages_before;
      if (i > 0) {
        block_barrier();
        if (thread_index() == 0)
          grid_barrier(arguments.arrivals + block_y(), static_cast<std::uint32_t>(i * arguments.tiles));
        block_barrier();
      }
      run_layer(layer);
    }
  }
};

/// One thread per four channels of a vertex; grid: blocks of one sample, samples.
struct Combine {
  using Arguments = CombineArguments;
  static constexpr int kThreads = kBlockThreads;
  static constexpr int kBlocksAtOnce = 1;

  /// Loads four products of a vertex, unpooled if it is the midpoint of an edge.
  P2MPP_DEVICE static void load(const Arguments& arguments, const float* products, int vertex, int column,
                                float (&values)[4]) {
    const int row_stride = 2 * arguments.padded;
    if (vertex < arguments.product_rows) {
      FloatElements::load(products + vertex * row_stride + column, values);
      return;
    }
    const std::int32_t* ends = arguments.edges + 2 * (vertex - arguments.product_rows);
    float other[4];
    FloatElements::load(products + ends[0] * row_stride + column, values);
    FloatElements::load(products + ends[1] * row_stride + column, other);
    P2MPP_UNROLL
    for (int i = 0; i < 4; ++i) values[i] = (values[i] + other[i]) * 0.5F;
  }

  P2MPP_DEVICE static void run(const Arguments& arguments) {
    const int pieces = arguments.stride / 4;
    const int item = block_x() * kThreads + thread_index();
    if (item >= arguments.vertex_count * pieces) return;
    const int vertex = item / pieces;
    const int channel = item % pieces * 4;
    const auto sample = static_cast<std::size_t>(block_y());
    const float* products = arguments.products + sample * static_cast<std::size_t>(arguments.product_rows) *
                                                     static_cast<std::size_t>(2 * arguments.padded);
    float sums[4];
    float bias[4];
    load(arguments, products, vertex, channel, sums);
    FloatElements::load(arguments.bias + channel, bias);
    add_scaled(1, bias, sums);
    const int end = arguments.support.first[vertex + 1];
    for (int i = arguments.support.first[vertex]; i < end; ++i) {
      float values[4];
      load(arguments, products, arguments.support.column[i], arguments.padded + channel, values);
      add_scaled(arguments.support.weight[i], values, sums);
    }
    P2MPP_UNROLL
    for (int i = 0; i < 4; ++i) sums[i] = sums[i] < 0 ? 0 : sums[i];
    const std::size_t row =
        sample * static_cast<std::size_t>(arguments.vertex_count) + static_cast<std::size_t>(vertex);
    FloatElements::store(sums, arguments.output + row * static_cast<std::size_t>(arguments.stride) + channel);
  }
};

/// One warp per vertex; grid: groups of eight vertices, samples. In fp32 because the output is coordinates.
struct FindCoordinates {
  using Arguments = CoordinatesArguments;
  static constexpr int kThreads = kBlockThreads;
  static constexpr int kBlocksAtOnce = 1;

  P2MPP_DEVICE static void add_products(const float* weights, int stride, int channel, const float (&values)[4],
                                        float (&sums)[3]) {
    P2MPP_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
      float column[4];
      FloatElements::load(weights + axis * stride + channel, column);
      P2MPP_UNROLL
      for (int i = 0; i < 4; ++i) sums[axis] += values[i] * column[i];
    }
  }

  P2MPP_DEVICE static void run(const Arguments& arguments) {
    const int vertex = block_x() * (kThreads / 32) + warp_index();
    if (vertex >= arguments.vertex_count) return;
    const std::size_t first_row =
        static_cast<std::size_t>(block_y()) * static_cast<std::size_t>(arguments.vertex_count);
    const float* input = arguments.input + first_row * static_cast<std::size_t>(arguments.stride);
    const int begin = arguments.support.first[vertex];
    const int end = arguments.support.first[vertex + 1];
    float sums[3] = {0, 0, 0};
    for (int channel = 4 * lane_index(); channel < arguments.stride; channel += 128) {
      float values[4];
      FloatElements::load(input + vertex * arguments.stride + channel, values);
      add_products(arguments.weights0, arguments.stride, channel, values, sums);
      float neighbours[4] = {0, 0, 0, 0};
      for (int i = begin; i < end; ++i) {
        FloatElements::load(input + arguments.support.column[i] * arguments.stride + channel, values);
        add_scaled(arguments.support.weight[i], values, neighbours);
      }
      add_products(arguments.weights1, arguments.stride, channel, neighbours, sums);
    }
    P2MPP_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
      const float coordinate = sum_over_warp(sums[axis]) + arguments.bias[axis];
      if (lane_index() == 0) arguments.output[3 * (first_row + static_cast<std::size_t>(vertex)) + axis] = coordinate;
    }
  }
};

}  // namespace
}  // namespace p2mpp::cuda
