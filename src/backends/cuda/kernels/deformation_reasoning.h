#pragma once

#include "backends/cuda/kernels/product.h"
#include "backends/cuda/kernels/reasoning_steps.h"

namespace p2mpp::cuda {
namespace {

/// A block holds a few vertices. Each has one warp per 64 channels (fp32: 32), and only these warps synchronise with
/// each other. A vertex's hypotheses take kRows rows, which stay in shared memory from sampling to softmax.
///
/// A warp has all rows of its vertex for its channels, so x W1 never leaves the registers: the sums become an operand
/// of the product with T1, which is small and dense here.
template <class P, int kRows>
struct Reason {
  using Arguments = ReasoningArguments;
  using Element = typename P::Element;
  static constexpr int kPairs = reasoning_pairs(P::kArithmetic, kRows);
  static constexpr int kWarpChannels = kPairs * kPairChannels;
  static constexpr int kThreads = reasoning_threads(P::kArithmetic, kRows);
  static constexpr int kBlocksAtOnce = 1;
  static constexpr int kNodeTiles = kRows / kTileRows;
  static constexpr int kSupportSteps = kRows / P::kDepth;
  using VertexSums = Sums<kPairs, kNodeTiles>;

  /// The part of a block that computes one vertex.
  struct Vertex {
    unsigned char* memory;
    const Arguments& arguments;
    int index;   // among all vertices of the batch
    int thread;  // among the vertex's threads
    int barrier_id;

    P2MPP_DEVICE const ReasoningLayout& layout() const { return arguments.layout; }
    P2MPP_DEVICE int group() const { return opaque(thread) / 32; }  // group of channels
    P2MPP_DEVICE void wait() const { barrier(barrier_id, arguments.vertex_threads); }
    P2MPP_DEVICE Element* states(int layer) const {
      return reinterpret_cast<Element*>(memory + (layer % 2 == 0 ? 0 : layout().second_states));
    }
    P2MPP_DEVICE PixelPosition* positions() const {
      return reinterpret_cast<PixelPosition*>(memory + layout().positions);
    }
    P2MPP_DEVICE float* products() const { return reinterpret_cast<float*>(memory + layout().products); }
    P2MPP_DEVICE float* scores() const { return reinterpret_cast<float*>(memory + layout().scores); }
  };

  P2MPP_DEVICE static void project(const Arguments& arguments, const Vertex& vertex) {
    if (arguments.lookup.views > kViewsAtOnce) return;  // see sample_piece_of_many()
    for (int item = vertex.thread; item < arguments.hypotheses * arguments.lookup.views;
         item += arguments.vertex_threads) {
      const int view = item / arguments.hypotheses;
      const int node = item % arguments.hypotheses;
      vertex.positions()[view * kRows + node] = project_hypothesis(arguments, vertex.index, view, node);
    }
  }

  /// Pieces of a row are numbered: first those of the maps, then those of the point and the padding.
  template <int kViews, class Write>
  P2MPP_DEVICE static void sample_row(const Arguments& arguments, const Vertex& vertex, int node, int piece,
                                      const Write& write) {
    const LookupArguments& lookup = arguments.lookup;
    const bool exists = node < arguments.hypotheses;
    for (int m = 0; m < lookup.map_count; ++m) {
      const DeviceMap& map = lookup.maps[m];
      const int pieces = map.stride / P::kPiece;
      if (piece < pieces) {
        if constexpr (kViews == kManyViews) {
          return sample_piece_of_many<P>(arguments, map, vertex.index, node, exists, piece, write);
        } else {
          const int sample = vertex.index / arguments.vertices_per_sample;
          ViewCorners<P> corners[kViews];
          if (exists) find_view_corners(lookup, map, sample, vertex.positions() + node, kRows, corners);
          return sample_piece<P>(lookup.sampling, map, exists, corners, piece, write);
        }
      }
      piece -= pieces;
    }
    find_point_piece<P>(arguments, vertex.index, node, exists, piece, write);
  }

  template <int kViews>
  P2MPP_DEVICE static void sample(const Arguments& arguments, const Vertex& vertex) {
    int pieces = (arguments.features - arguments.point_column) / P::kPiece;
    for (int m = 0; m < arguments.lookup.map_count; ++m) pieces += arguments.lookup.maps[m].stride / P::kPiece;
    for (int item = vertex.thread; item < kRows * pieces; item += arguments.vertex_threads) {
      const int node = item / pieces;
      Element* row = vertex.states(0) + node * vertex.layout().feature_stride;
      sample_row<kViews>(arguments, vertex, node, item % pieces, [&](int column, const float(&values)[P::kPiece]) {
        P::store(values, row + column);
        if (node < arguments.hypotheses) trace_features(arguments, vertex.index, node, column, values);
      });
    }
  }

  P2MPP_DEVICE static Rows<P::kParts> load_support(const std::uint32_t* fragments, int step, int tile) {
    Rows<P::kParts> rows;
    P2MPP_UNROLL
    for (int part = 0; part < P::kParts; ++part) {
      const int at = (((step * kNodeTiles + tile) * P::kParts + part) * 32 + lane_index()) * 2;
      const Words<2> words = load_constant_words<2>(fragments + at);
      rows.part[part][0] = words.at[0];
      rows.part[part][1] = words.at[1];
    }
    return rows;
  }

  /// Replaces x W1 in `sums` by T1 x W1 + b.
  P2MPP_DEVICE static void apply_support(const Arguments& arguments, const float* bias, VertexSums& sums) {
    P2MPP_UNROLL
    for (int pair = 0; pair < kPairs; ++pair) {
      float channel_bias[4];
      FloatElements::load(bias + pair * kPairChannels + first_channel(lane_index()), channel_bias);
      float products[2][kNodeTiles][4];
      P2MPP_UNROLL
      for (int i = 0; i < 2; ++i) {
        P2MPP_UNROLL
        for (int j = 0; j < kNodeTiles; ++j) {
          P2MPP_UNROLL
          for (int k = 0; k < 4; ++k) {
            products[i][j][k] = sums.at[2 * pair + i][j][k];
            sums.at[2 * pair + i][j][k] = channel_bias[2 * i + k / 2];
          }
        }
      }
      P2MPP_UNROLL
      for (int step = 0; step < kSupportSteps; ++step) {
        Weights<P::kParts> weights[2];
        P2MPP_UNROLL
        for (int i = 0; i < 2; ++i) weights[i] = P::as_weights(&products[i][step * P::kDepth / kTileRows]);
        P2MPP_UNROLL
        for (int j = 0; j < kNodeTiles; ++j) {
          multiply_add_tile<P>(&sums.at[2 * pair], j, weights, load_support(arguments.support_fragments, step, j));
        }
      }
    }
  }

  P2MPP_DEVICE static void write_states(const VertexSums& sums, bool adds, Element* states, int stride) {
    P2MPP_UNROLL
    for (int pair = 0; pair < kPairs; ++pair) {
      Element* channels = states + pair * kPairChannels + first_channel(lane_index());
      P2MPP_UNROLL
      for (int j = 0; j < kNodeTiles; ++j) {
        P2MPP_UNROLL
        for (int second = 0; second < 2; ++second) {
          Element* at = channels + (j * kTileRows + first_row(lane_index()) + second) * stride;
          float values[4];
          sums.take(pair, j, second, values);
          float before[4] = {0, 0, 0, 0};
          if (adds) P::load(at, before);
          P2MPP_UNROLL
          for (int i = 0; i < 4; ++i) values[i] = (values[i] < 0 ? 0 : values[i]) + before[i];
          P::store(values, at);
        }
      }
    }
  }

  /// Adds x W0 or x W1 of a layer to the sums. Everything derived from `layer` is recomputed in each call, so that
  /// registers hold only sums and operands during the loop.
  P2MPP_DEVICE static void multiply_layer(const Vertex& vertex, int layer, bool others, VertexSums& sums) {
    const Arguments& arguments = vertex.arguments;
    const bool first = layer == 0;
    const int steps = (first ? arguments.features : arguments.hidden) / P::kDepth;
    const int pair_stride = steps * kPairWords<P>;
    const std::uint32_t* weights = others ? arguments.layers[layer].weights1 : arguments.layers[layer].weights0;
    SharedCursor<P> rows(vertex.states(first ? 0 : layer - 1),
                         first ? vertex.layout().feature_stride : vertex.layout().state_stride);
    multiply<P, kPairs>(sums, weights + vertex.group() * kPairs * pair_stride, pair_stride, steps, rows);
  }

  P2MPP_DEVICE static void run_layer(const Vertex& vertex, int layer) {
    VertexSums sums;
    sums.clear();
    multiply_layer(vertex, opaque(layer), true, sums);
    apply_support(vertex.arguments, vertex.arguments.layers[opaque(layer)].bias + vertex.group() * kWarpChannels, sums);
    multiply_layer(vertex, opaque(layer), false, sums);
    if (layer == 0) vertex.wait();  // the states overwrite the features
    const bool adds = layer >= 2 && layer % 2 == 0;
    write_states(sums, adds, vertex.states(layer) + vertex.group() * kWarpChannels,
                 opaque(vertex.layout().state_stride));
    vertex.wait();
  }

  /// The last layer has one channel, so two dot products per row replace the matrix product.
  P2MPP_DEVICE static void multiply_last(const Arguments& arguments, const Vertex& vertex) {
    const Element* states = vertex.states(arguments.layer_count - 1);
    for (int item = vertex.thread; item < 2 * kRows; item += arguments.vertex_threads) {
      const float* weights = item < kRows ? arguments.last_weights0 : arguments.last_weights1;
      const Element* row = states + item % kRows * vertex.layout().state_stride;
      float sum = 0;
      for (int channel = 0; channel < arguments.hidden; channel += 4) {
        float values[4];
        float column[4];
        P::load(row + channel, values);
        FloatElements::load(weights + channel, column);
        P2MPP_UNROLL
        for (int i = 0; i < 4; ++i) sum += values[i] * column[i];
      }
      vertex.products()[item] = sum;
    }
  }

  P2MPP_DEVICE static void score(const Arguments& arguments, const Vertex& vertex) {
    for (int node = vertex.thread; node < arguments.hypotheses; node += arguments.vertex_threads) {
      vertex.scores()[node] = find_score(arguments, vertex.index, node, vertex.products(), vertex.products() + kRows);
    }
  }

  P2MPP_DEVICE static void run(const Arguments& arguments) {
    const int threads = arguments.vertex_threads;
    const int local = thread_index() / threads;
    const Vertex vertex{.memory = shared_memory() + local * arguments.layout.vertex_bytes,
                        .arguments = arguments,
                        .index = block_x() * (block_threads() / threads) + local,
                        .thread = thread_index() % threads,
                        .barrier_id = 1 + local};
    if (vertex.index >= arguments.vertex_count) return;  // true for all of the vertex's warps
    project(arguments, vertex);
    vertex.wait();
    with_views(arguments.lookup.views, [&](auto count) { sample<count.value>(arguments, vertex); });
    vertex.wait();
    for (int layer = 0; layer < arguments.layer_count; ++layer) run_layer(vertex, layer);
    multiply_last(arguments, vertex);
    vertex.wait();
    score(arguments, vertex);
    vertex.wait();
    if (vertex.thread < 32) move_vertex(arguments, vertex.index, vertex.scores());
  }
};

}  // namespace
}  // namespace p2mpp::cuda
