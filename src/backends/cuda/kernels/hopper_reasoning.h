#pragma once

#include "backends/cuda/kernels/hopper_operands.h"
#include "backends/cuda/kernels/reasoning_steps.h"

namespace p2mpp::cuda {
namespace {

/// A deformation reasoning block for sm_90a. A thread block processes 192 columns of hypotheses, which are four
/// vertices of 48 columns or three of 64 (kRows), from sampling to the new positions. Each warpgroup computes 64
/// channels of all columns with the sums in registers. One more warpgroup fetches the weights, which all blocks read in
/// the same order, through a ring of buffers in shared memory. See docs/gpu-kernel.md.
template <class Operands, int kRows>
struct HopperReasoningKernel {
  using Arguments = ReasoningArguments;
  using Half = typename Operands::Half;
  using HalfElement = typename Half::Element;
  static constexpr int kThreads = hopper_threads(kMostWarpgroups * kWarpgroupChannels);
  static constexpr int kBlocksAtOnce = 1;
  static constexpr int kVertices = hopper_vertices(kRows);
  static constexpr int kVertexSums = vertex_sums(kRows);
  static constexpr int kSupportSteps = support_steps(kRows);
  static constexpr int kConsumersBarrier = 1;  // of all warpgroups except the fetching one
  static_assert(Half::kPiece == kCoreDepth);

  /// The vertices of a block.
  struct Tile {
    unsigned char* memory;
    const Arguments& arguments;
    int first_vertex;  // among all vertices of the batch
    int threads;       // computing threads

    P2MPP_DEVICE const HopperLayout& layout() const { return arguments.hopper; }
    P2MPP_DEVICE void wait() const { barrier(kConsumersBarrier, threads); }
    P2MPP_DEVICE unsigned char* states(int layer) const {
      return memory + (layer % 2 == 0 ? 0 : layout().second_states);
    }
    P2MPP_DEVICE PixelPosition* positions(int vertex, int node) const {
      auto* all = reinterpret_cast<PixelPosition*>(memory + layout().positions);
      return all + vertex * arguments.lookup.views * kRows + node;
    }
    P2MPP_DEVICE float* products() const { return reinterpret_cast<float*>(memory + layout().products); }
    P2MPP_DEVICE float* scores() const { return reinterpret_cast<float*>(memory + layout().scores); }
    P2MPP_DEVICE unsigned char* buffer(int index) const {
      return memory + layout().weights + index * layout().buffer_bytes;
    }
    P2MPP_DEVICE void* full(int buffer) const { return memory + layout().barriers + 8 * buffer; }
    P2MPP_DEVICE void* empty(int buffer) const { return memory + layout().barriers + 8 * (kWeightBuffers + buffer); }
    P2MPP_DEVICE bool has(int vertex) const { return first_vertex + vertex < arguments.vertex_count; }
  };

  /// Iterates over the buffers in the order in which weights arrive.
  struct Ring {
    int buffer = 0, parity = 0;

    P2MPP_DEVICE void next() {
      buffer += 1;
      if (buffer < kWeightBuffers) return;
      buffer = 0;
      parity ^= 1;
    }
  };

  P2MPP_DEVICE static int count_chunks(const Arguments& arguments, int layer) {
    return (layer == 0 ? arguments.hopper.feature_depth : arguments.hopper.state_depth) / kWeightDepth;
  }

  /// Runs on one thread. Fetches the weights of all layers, as far ahead as there are buffers.
  P2MPP_DEVICE static void fetch_weights(const Tile& tile) {
    const Arguments& arguments = tile.arguments;
    const int bytes = tile.layout().buffer_bytes;
    const int chunks = 2 * (count_chunks(arguments, 0) + arguments.hopper.point_depth / kWeightDepth +
                            (arguments.layer_count - 1) * count_chunks(arguments, 1));
    const auto* from = reinterpret_cast<const unsigned char*>(arguments.weight_stream);
    Ring ring;
    for (int chunk = 0; chunk < chunks; ++chunk) {
      // Waits for the previous phase of the buffer, which has the other parity. The first round has none.
      if (chunk >= kWeightBuffers) wait_for_phase(tile.empty(ring.buffer), ring.parity ^ 1);
      arrive_expecting(tile.full(ring.buffer), bytes);
      copy_in_bulk(tile.buffer(ring.buffer), from, bytes, tile.full(ring.buffer));
      from += bytes;
      ring.next();
    }
  }

  P2MPP_DEVICE static void project(const Tile& tile) {
    const Arguments& arguments = tile.arguments;
    if (arguments.lookup.views > kViewsAtOnce) return;  // see sample_piece_of_many()
    const int of_vertex = arguments.lookup.views * arguments.hypotheses;
    for (int item = thread_index(); item < kVertices * of_vertex; item += tile.threads) {
      const int vertex = item / of_vertex;
      const int view = item % of_vertex / arguments.hypotheses;
      const int node = item % arguments.hypotheses;
      if (!tile.has(vertex)) continue;
      tile.positions(vertex, node)[view * kRows] =
          project_hypothesis(arguments, tile.first_vertex + vertex, view, node);
    }
  }

  /// Two threads per column. They compute the column's sampling positions once for all pieces of a map. Then each reads
  /// 16 of 32 adjacent bytes, then 16 of the next 32.
  template <int kViews>
  P2MPP_DEVICE static void sample(const Tile& tile) {
    const Arguments& arguments = tile.arguments;
    for (int column = thread_index() / 2; column < kHopperColumns; column += tile.threads / 2) {
      const int vertex = tile.first_vertex + column / kRows;
      const int node = column % kRows;
      const bool exists = tile.has(column / kRows) && node < arguments.hypotheses;
      unsigned char* at = tile.memory + operand_byte(kHopperColumns, column, 0);
      const auto write = [&](int k, const float(&values)[Half::kPiece]) {
        Operands::store_features(values, arguments.feature_gain, k, at);
        if (exists) trace_features(arguments, vertex, node, k, values);
      };
      for (int m = 0; m < arguments.lookup.map_count; ++m) {
        const DeviceMap& map = arguments.lookup.maps[m];
        if constexpr (kViews == kManyViews) {
          for (int piece = thread_index() % 2; piece < map.stride / Half::kPiece; piece += 2) {
            sample_piece_of_many<Half>(arguments, map, vertex, node, exists, piece, write);
          }
        } else {
          const PixelPosition* positions = tile.positions(column / kRows, node);
          const int sample = vertex / arguments.vertices_per_sample;
          ViewCorners<Half> corners[kViews];
          if (exists) find_view_corners(arguments.lookup, map, sample, positions, kRows, corners);
          for (int piece = thread_index() % 2; piece < map.stride / Half::kPiece; piece += 2) {
            sample_piece<Half>(arguments.lookup.sampling, map, exists, corners, piece, write);
          }
        }
      }
    }
  }

  /// The columns after the maps, apart from them because they do not depend on the number of views.
  P2MPP_DEVICE static void sample_points(const Tile& tile) {
    const Arguments& arguments = tile.arguments;
    P2MPP_DO_NOT_UNROLL
    for (int column = opaque(thread_index()) / 2; column < kHopperColumns; column += tile.threads / 2) {
      const int vertex = tile.first_vertex + column / kRows;
      const int node = column % kRows;
      const bool exists = tile.has(column / kRows) && node < arguments.hypotheses;
      unsigned char* at = tile.memory + operand_byte(kHopperColumns, column, 0);
      if constexpr (Operands::kScaled) {
        write_point_apart(tile, vertex, node, exists, at);
      } else {
        const int after = (tile.layout().feature_depth - arguments.point_column) / Half::kPiece;
        for (int piece = thread_index() % 2; piece < after; piece += 2) {
          find_point_piece<Half>(arguments, vertex, node, exists, piece,
                                 [&](int k, const float(&values)[Half::kPiece]) {
                                   Operands::store_features(values, arguments.feature_gain, k, at);
                                   if (exists) trace_features(arguments, vertex, node, k, values);
                                 });
        }
      }
    }
  }

  /// Coordinates need more than eight bits, which could not distinguish neighbouring hypotheses. at: the column's
  /// address.
  P2MPP_DEVICE static void write_point_apart(const Tile& tile, int vertex, int node, bool exists, unsigned char* at) {
    const Arguments& arguments = tile.arguments;
    const float zeros[Half::kPiece] = {};
    for (int k = arguments.point_column + thread_index() % 2 * Half::kPiece; k < 2 * tile.layout().feature_depth;
         k += 2 * Half::kPiece) {
      Operands::store_features(zeros, 1, k, at);
    }
    for (int piece = thread_index() % 2; piece < tile.layout().point_depth / Half::kPiece; piece += 2) {
      find_point_piece<Half>(arguments, vertex, node, exists, piece, [&](int k, const float(&values)[Half::kPiece]) {
        const int depth = k - arguments.point_column;
        Half::store(values, reinterpret_cast<HalfElement*>(at + tile.layout().point_features +
                                                           operand_bytes(kHopperColumns, depth)));
        if (exists) trace_features(arguments, vertex, node, k, values);
      });
    }
  }

  P2MPP_DEVICE static void copy_support(const Tile& tile) {
    constexpr int kWords = 4;
    constexpr int kPieces = operand_bytes(kRows, kRows) / 16;
    for (int piece = thread_index(); piece < kPieces; piece += tile.threads) {
      store_words(load_constant_words<kWords>(tile.arguments.support_operand + kWords * piece),
                  tile.memory + tile.layout().support + 16 * piece);
    }
  }

  /// Multiplies W0 or W1 of a layer (the next `chunks` of the ring) by the rows. `adds`: adds the product to the sums.
  /// Otherwise replaces the sums.
  template <class Product>
  P2MPP_DEVICE static void multiply(const Tile& tile, std::uint64_t rows, int chunks, bool adds, Ring& ring,
                                    TileSums& sums) {
    const int hidden = tile.arguments.hidden;
    const int first_channel = thread_index() / kWarpgroupThreads * kWarpgroupChannels;
    const std::uint64_t weights =
        operand_descriptor(shared_address(tile.buffer(0) + operand_byte(hidden, first_channel, 0)), hidden);
    const bool releases = lane_index() == 0;
    int previous = -1;
    pin(sums);
    P2MPP_DO_NOT_UNROLL
    do {
      wait_for_phase(tile.full(ring.buffer), ring.parity);
      const std::uint64_t buffer = weights + descriptor_step(ring.buffer * tile.layout().buffer_bytes);
      begin_products();
      P2MPP_UNROLL
      for (int step = 0; step < kWeightDepth / kHopperDepth; ++step) {
        multiply_tile<Product>(sums, buffer + descriptor_step(operand_bytes(hidden, step * kHopperDepth)),
                               rows + descriptor_step(operand_bytes(kHopperColumns, step * kHopperDepth)), adds);
        adds = true;
      }
      end_group();
      rows += descriptor_step(operand_bytes(kHopperColumns, kWeightDepth));
      wait_for_products<1>();
      if (releases && previous >= 0) arrive(tile.empty(previous));
      previous = ring.buffer;
      ring.next();
      chunks -= 1;
    } while (chunks > 0);
    wait_for_products<0>();
    pin(sums);
    if (releases) arrive(tile.empty(previous));
  }

  /// Replaces x W1 by T1 x W1 + b in kVertex's sums. ptxas cannot use a part of a tile's registers in another
  /// instruction, and moving the sums counts as such a use. The product therefore has its own registers, `mixed`, and
  /// adding the bias writes it back.
  template <int kVertex>
  P2MPP_DEVICE static void apply_support(std::uint64_t support, const float (&bias)[2], float (&mixed)[kVertexSums],
                                         TileSums& sums) {
    constexpr int kFirst = kVertex * kVertexSums;
    std::uint32_t operand[kSupportSteps][4];
    P2MPP_UNROLL
    for (int step = 0; step < kSupportSteps; ++step) {
      P2MPP_UNROLL
      for (int reg = 0; reg < 4; ++reg) {
        operand[step][reg] =
            Half::pair(sums[kFirst + summed_register(step, reg, 0)], sums[kFirst + summed_register(step, reg, 1)]);
      }
      pin(operand[step]);
    }
    pin(mixed);
    begin_products();
    P2MPP_UNROLL
    for (int step = 0; step < kSupportSteps; ++step) {
      multiply_vertex<Half>(mixed, operand[step], support + descriptor_step(operand_bytes(kRows, step * kHopperDepth)),
                            step > 0);
    }
    end_group();
    wait_for_products<0>();
    pin(mixed);
    P2MPP_UNROLL
    for (int step = 0; step < kSupportSteps; ++step) pin(operand[step]);
    P2MPP_UNROLL
    for (int i = 0; i < kVertexSums; ++i) sums[kFirst + i] = mixed[i] + bias[i / 2 % 2];
  }

  /// Adds W0 or W1 of a layer times its input to the sums; without `adds`, replaces them.
  P2MPP_DEVICE static void multiply_input(const Tile& tile, int layer, bool adds, Ring& ring, TileSums& sums) {
    const unsigned char* input = tile.states(layer == 0 ? 0 : layer - 1);
    multiply<typename Operands::Product>(tile, operand_descriptor(shared_address(input), kHopperColumns),
                                         count_chunks(tile.arguments, layer), adds, ring, sums);
    if (!Operands::kScaled || layer > 0) return;
    const unsigned char* point = input + tile.layout().point_features;
    multiply<Half>(tile, operand_descriptor(shared_address(point), kHopperColumns),
                   tile.layout().point_depth / kWeightDepth, true, ring, sums);
  }

  P2MPP_DEVICE static void run_layer(const Tile& tile, int layer, Ring& ring) {
    const auto& constants = tile.arguments.layers[layer];
    const std::uint64_t support = operand_descriptor(shared_address(tile.memory + tile.layout().support), kRows);
    const int thread = thread_index() % kWarpgroupThreads;
    const int first_channel = thread_index() / kWarpgroupThreads * kWarpgroupChannels;
    const int channels[2] = {first_channel + channel_of_sum(thread, 0), first_channel + channel_of_sum(thread, 2)};
    const float bias[2] = {constants.bias[channels[0]], constants.bias[channels[1]]};
    TileSums sums;
    P2MPP_UNROLL
    for (int i = 0; i < kHopperSums; ++i) sums[i] = 0;
    multiply_input(tile, layer, false, ring, sums);
    float mixed[kVertexSums];
    P2MPP_UNROLL
    for (int i = 0; i < kVertexSums; ++i) mixed[i] = 0;
    apply_support<0>(support, bias, mixed, sums);
    apply_support<1>(support, bias, mixed, sums);
    apply_support<2>(support, bias, mixed, sums);
    if constexpr (kVertices > 3) apply_support<3>(support, bias, mixed, sums);
    multiply_input(tile, layer, true, ring, sums);
    float gain[2] = {1, 1};
    if constexpr (Operands::kScaled) {
      gain[0] = constants.gain[channels[0]];
      gain[1] = constants.gain[channels[1]];
    }
    if (layer == 0) tile.wait();  // the states overwrite the features
    if (layer >= 2 && layer % 2 == 0) {
      Operands::template write_states<true>(sums, gain, constants.residual_gain, tile.states(layer));
    } else {
      Operands::template write_states<false>(sums, gain, 0, tile.states(layer));
    }
    publish_to_products();
    tile.wait();
  }

  /// The last layer has one channel, so two dot products per column replace the matrix product.
  P2MPP_DEVICE static void multiply_last(const Tile& tile) {
    const Arguments& arguments = tile.arguments;
    const unsigned char* states = tile.states(arguments.layer_count - 1);
    for (int item = thread_index(); item < 2 * kHopperColumns; item += tile.threads) {
      const float* weights = item < kHopperColumns ? arguments.last_weights0 : arguments.last_weights1;
      const unsigned char* column = states + operand_byte(kHopperColumns, item % kHopperColumns, 0);
      float sum = 0;
      for (int channel = 0; channel < arguments.hidden; channel += Operands::kPiece) {
        float values[Operands::kPiece];
        Operands::load(column, values);
        column += operand_bytes(kHopperColumns, kCoreDepth);
        P2MPP_UNROLL
        for (int first = 0; first < Operands::kPiece; first += 4) {
          float four[4];
          FloatElements::load(weights + channel + first, four);
          P2MPP_UNROLL
          for (int i = 0; i < 4; ++i) sum += values[first + i] * four[i];
        }
      }
      tile.products()[item] = sum;
    }
  }

  P2MPP_DEVICE static void score(const Tile& tile) {
    for (int column = thread_index(); column < kHopperColumns; column += tile.threads) {
      const int vertex = column / kRows;
      const int node = column % kRows;
      if (!tile.has(vertex) || node >= tile.arguments.hypotheses) continue;
      const float* own = tile.products() + vertex * kRows;
      tile.scores()[column] = find_score(tile.arguments, tile.first_vertex + vertex, node, own, own + kHopperColumns);
    }
  }

  P2MPP_DEVICE static void run_warpgroups(const Tile& tile) {
    project(tile);
    copy_support(tile);
    sample_points(tile);
    tile.wait();
    with_views(tile.arguments.lookup.views, [&](auto count) { sample<count.value>(tile); });
    publish_to_products();
    tile.wait();
    Ring ring;
    for (int layer = 0; layer < tile.arguments.layer_count; ++layer) run_layer(tile, layer, ring);
    multiply_last(tile);
    tile.wait();
    score(tile);
    tile.wait();
    if (warp_index() < kVertices && tile.has(warp_index())) {
      move_vertex(tile.arguments, tile.first_vertex + warp_index(), tile.scores() + warp_index() * kRows);
    }
  }

  P2MPP_DEVICE static void run(const Arguments& arguments) {
    const Tile tile{.memory = shared_memory(),
                    .arguments = arguments,
                    .first_vertex = block_x() * kVertices,
                    .threads = block_threads() - kWarpgroupThreads};
    if (thread_index() == 0) {
      for (int buffer = 0; buffer < kWeightBuffers; ++buffer) {
        make_phase_barrier(tile.full(buffer), 1);
        make_phase_barrier(tile.empty(buffer), tile.threads / 32);
      }
      publish_phase_barriers();
    }
    block_barrier();
    if (thread_index() < tile.threads) {
      allocate_registers<kComputingRegisters>();
      run_warpgroups(tile);
    } else {
      release_registers<kFetchingRegisters>();
      if (thread_index() == tile.threads) fetch_weights(tile);
    }
  }
};

}  // namespace
}  // namespace p2mpp::cuda
