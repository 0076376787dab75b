#pragma once

#include "backends/cuda/kernels/hopper_operands.h"
#include "backends/cuda/kernels/product.h"
#if !defined(__CUDACC__)
#include <chrono>
#endif

// A kernel for each primitive that p2mpp's CUDA kernels rest on, and for nothing else: what checks them is
// probe_checks.h. The same source runs on a GPU (probe.cu) and on the emulation of one (probe_test.cc).

// sm_90a alone has these instructions; for other GPUs the kernels are compiled without a body and are not launched.
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define P2MPP_PROBE_HAS_HOPPER 1
#endif

namespace p2mpp::probe {
namespace {

using namespace p2mpp::cuda;

P2MPP_HOST_DEVICE constexpr int small_integer(int i, int k) { return (i * 7 + k * 5 + i * k) % 9 - 4; }

/// Whether the kernels of Hopper's instructions are in this build: 1, or 0.
struct WhichCode {
  struct Arguments {
    int* hopper;
  };
  static constexpr int kThreads = 32;
  static constexpr int kBlocksAtOnce = 1;

  P2MPP_DEVICE static void run(const Arguments& arguments) {
#if defined(P2MPP_PROBE_HAS_HOPPER)
    if (thread_index() == 0) *arguments.hopper = 1;
#else
    if (thread_index() == 0) *arguments.hopper = 0;
#endif
  }
};

/// mma.sync by the loop of all products: out [8 rows][32 channels] of rows [8][depth] and packed weights.
template <class P>
struct WarpProduct {
  struct Arguments {
    const std::uint32_t* weights;
    const float* rows;
    float* out;
  };
  static constexpr int kThreads = 32;
  static constexpr int kBlocksAtOnce = 1;
  static constexpr int kSharedBytes = 8 * P::kDepth * static_cast<int>(sizeof(typename P::Element));

  P2MPP_DEVICE static void run(const Arguments& arguments) {
    auto* shared = reinterpret_cast<typename P::Element*>(shared_memory());
    for (int i = thread_index() * P::kPiece; i < 8 * P::kDepth; i += 32 * P::kPiece) {
      float values[P::kPiece];
      for (int k = 0; k < P::kPiece; ++k) values[k] = arguments.rows[i + k];
      P::store(values, shared + i);
    }
    block_barrier();
    Sums<1, 1> sums;
    sums.clear();
    SharedCursor<P> cursor(shared, P::kDepth);
    multiply<P, 1>(sums, arguments.weights, 0, 1, cursor);
    for (int second = 0; second < 2; ++second) {
      float values[4];
      sums.take(0, 0, second, values);
      for (int i = 0; i < 4; ++i) {
        arguments.out[(first_row(lane_index()) + second) * 32 + first_channel(lane_index()) + i] = values[i];
      }
    }
  }
};

struct OperandArguments {
  const std::uint32_t* a;  ///< null where it is in registers
  const std::uint32_t* b;
  float* out;  ///< [64 channels][columns]
};

P2MPP_DEVICE void copy_words(const std::uint32_t* from, int bytes, unsigned char* to) {
  for (int i = thread_index(); i < bytes / 4; i += kWarpgroupThreads) reinterpret_cast<std::uint32_t*>(to)[i] = from[i];
}

/// wgmma with both operands in shared memory, once in place of what the sums hold and once on top.
template <class P>
struct TileProduct {
  using Arguments = OperandArguments;
  static constexpr int kThreads = kWarpgroupThreads;
  static constexpr int kBlocksAtOnce = 1;
  static constexpr int kBytesOfA = operand_bytes(kWarpgroupChannels, kHopperDepth);
  static constexpr int kSharedBytes = kBytesOfA + operand_bytes(kHopperColumns, kHopperDepth);

  P2MPP_DEVICE static void run([[maybe_unused]] const Arguments& arguments) {
#if defined(P2MPP_PROBE_HAS_HOPPER)
    unsigned char* rows = shared_memory() + kBytesOfA;
    copy_words(arguments.a, kBytesOfA, shared_memory());
    copy_words(arguments.b, operand_bytes(kHopperColumns, kHopperDepth), rows);
    publish_to_products();
    block_barrier();
    const std::uint64_t a = operand_descriptor(shared_address(shared_memory()), kWarpgroupChannels);
    const std::uint64_t b = operand_descriptor(shared_address(rows), kHopperColumns);
    TileSums sums;
    P2MPP_UNROLL
    for (int i = 0; i < kHopperSums; ++i) sums[i] = 1;
    pin(sums);
    begin_products();
    multiply_tile<P>(sums, a, b, false);
    multiply_tile<P>(sums, a, b, true);
    end_group();
    wait_for_products<0>();
    pin(sums);
    P2MPP_UNROLL
    for (int reg = 0; reg < kHopperSums; ++reg) {
      arguments.out[channel_of_sum(thread_index(), reg) * kHopperColumns + column_of_sum(lane_index(), reg)] =
          sums[reg];
    }
#endif
  }
};

/// wgmma whose operand A are registers that held sums.
template <class P, int kRows>
struct VertexProduct {
  using Arguments = OperandArguments;
  static constexpr int kThreads = kWarpgroupThreads;
  static constexpr int kBlocksAtOnce = 1;
  static constexpr int kSharedBytes = operand_bytes(kRows, kRows);

  P2MPP_DEVICE static void run([[maybe_unused]] const Arguments& arguments) {
#if defined(P2MPP_PROBE_HAS_HOPPER)
    copy_words(arguments.b, kSharedBytes, shared_memory());
    publish_to_products();
    block_barrier();
    float sums[vertex_sums(kRows)];
    float mixed[vertex_sums(kRows)];
    P2MPP_UNROLL
    for (int reg = 0; reg < vertex_sums(kRows); ++reg) {
      sums[reg] =
          static_cast<float>(small_integer(channel_of_sum(thread_index(), reg), column_of_sum(lane_index(), reg)));
      mixed[reg] = 0;
    }
    std::uint32_t operand[support_steps(kRows)][4];
    P2MPP_UNROLL
    for (int step = 0; step < support_steps(kRows); ++step) {
      P2MPP_UNROLL
      for (int reg = 0; reg < 4; ++reg) {
        operand[step][reg] = P::pair(sums[summed_register(step, reg, 0)], sums[summed_register(step, reg, 1)]);
      }
      pin(operand[step]);
    }
    pin(mixed);
    const std::uint64_t support = operand_descriptor(shared_address(shared_memory()), kRows);
    begin_products();
    P2MPP_UNROLL
    for (int step = 0; step < support_steps(kRows); ++step) {
      multiply_vertex<P>(mixed, operand[step], support + descriptor_step(operand_bytes(kRows, step * kHopperDepth)),
                         step > 0);
    }
    end_group();
    wait_for_products<0>();
    pin(mixed);
    P2MPP_UNROLL
    for (int step = 0; step < support_steps(kRows); ++step) pin(operand[step]);
    P2MPP_UNROLL
    for (int reg = 0; reg < vertex_sums(kRows); ++reg) {
      arguments.out[channel_of_sum(thread_index(), reg) * kRows + column_of_sum(lane_index(), reg)] = mixed[reg];
    }
#endif
  }
};

/// Differs in the next channel and column, and in the next eight of them, which the instructions move together.
P2MPP_HOST_DEVICE constexpr int state_value(int channel, int column) {
  return (channel + 3 * (channel / 8) + 3 * column + 5 * (column / 8)) % 8;
}

struct StateArguments {
  float* out;  ///< [64 channels][kHopperColumns]
};

/// stmatrix and ldmatrix: states are written, and then once more on top of themselves.
template <class Operands>
struct StoredStates {
  using Arguments = StateArguments;
  static constexpr int kThreads = kWarpgroupThreads;
  static constexpr int kBlocksAtOnce = 1;
  static constexpr int kSharedBytes = operand_bytes(kHopperColumns, kWarpgroupChannels);

  P2MPP_DEVICE static void run([[maybe_unused]] const Arguments& arguments) {
#if defined(P2MPP_PROBE_HAS_HOPPER)
    TileSums sums;
    P2MPP_UNROLL
    for (int reg = 0; reg < kHopperSums; ++reg) {
      sums[reg] =
          static_cast<float>(state_value(channel_of_sum(thread_index(), reg), column_of_sum(lane_index(), reg)));
    }
    const float gain[2] = {1, 1};
    Operands::template write_states<false>(sums, gain, 1, shared_memory());
    block_barrier();
    Operands::template write_states<true>(sums, gain, 1, shared_memory());
    block_barrier();
    constexpr Arithmetic kArithmetic = Operands::Product::kArithmetic;
    for (int item = thread_index(); item < kHopperColumns * kWarpgroupChannels / Operands::kPiece; item += kThreads) {
      const int column = item % kHopperColumns;
      const int piece = item / kHopperColumns;
      float values[Operands::kPiece];
      Operands::load(shared_memory() + operand_byte(kHopperColumns, column, piece * kCoreDepth), values);
      for (int i = 0; i < Operands::kPiece; ++i) {
        const int channel = channel_in_depth(kArithmetic, piece * Operands::kPiece + i);
        arguments.out[channel * kHopperColumns + column] = values[i];
      }
    }
#endif
  }
};

/// The ring of weights: bulk copies, both kinds of phase barrier, and registers that change hands.
struct Ring {
  struct Arguments {
    const std::uint32_t* from;  ///< [chunks][kWords]
    int chunks;
    std::uint32_t* sums;  ///< [kReaders], of chunk number + 1 times word
  };
  static constexpr int kReaders = kMostWarpgroups * kWarpgroupThreads;
  static constexpr int kThreads = kReaders + kWarpgroupThreads;
  static constexpr int kBlocksAtOnce = 1;
  static constexpr int kBytes = operand_bytes(kMostWarpgroups * kWarpgroupChannels, kWeightDepth);
  static constexpr int kWords = kBytes / 4;
  static constexpr int kSharedBytes = kWeightBuffers * kBytes + 2 * kWeightBuffers * 8;

  P2MPP_DEVICE static unsigned char* full(int buffer) { return shared_memory() + kWeightBuffers * kBytes + 8 * buffer; }
  P2MPP_DEVICE static unsigned char* empty(int buffer) { return full(kWeightBuffers + buffer); }

  P2MPP_DEVICE static void read(const Arguments& arguments) {
    std::uint32_t sum = 0;
    for (int chunk = 0; chunk < arguments.chunks; ++chunk) {
      const int buffer = chunk % kWeightBuffers;
      wait_for_phase(full(buffer), chunk / kWeightBuffers % 2);
      const auto* words = reinterpret_cast<const std::uint32_t*>(shared_memory() + buffer * kBytes);
      for (int i = thread_index(); i < kWords; i += kReaders) sum += static_cast<std::uint32_t>(chunk + 1) * words[i];
      barrier(1 + warp_index(), 32);
      if (lane_index() == 0) arrive(empty(buffer));
    }
    arguments.sums[thread_index()] = sum;
  }

  P2MPP_DEVICE static void fetch(const Arguments& arguments) {
    for (int chunk = 0; chunk < arguments.chunks; ++chunk) {
      const int buffer = chunk % kWeightBuffers;
      if (chunk >= kWeightBuffers) wait_for_phase(empty(buffer), (chunk / kWeightBuffers + 1) % 2);
      arrive_expecting(full(buffer), kBytes);
      copy_in_bulk(shared_memory() + buffer * kBytes, arguments.from + chunk * kWords, kBytes, full(buffer));
    }
  }

  P2MPP_DEVICE static void run([[maybe_unused]] const Arguments& arguments) {
#if defined(P2MPP_PROBE_HAS_HOPPER)
    if (thread_index() == 0) {
      for (int buffer = 0; buffer < kWeightBuffers; ++buffer) {
        make_phase_barrier(full(buffer), 1);
        make_phase_barrier(empty(buffer), kReaders / 32);
      }
      publish_phase_barriers();
    }
    block_barrier();
    if (thread_index() < kReaders) {
      allocate_registers<kComputingRegisters>();
      read(arguments);
    } else {
      release_registers<kFetchingRegisters>();
      if (thread_index() == kReaders) fetch(arguments);
    }
#endif
  }
};

/// Blocks that wait for each other and read what the others have written in the round before.
struct Rounds {
  struct Arguments {
    std::uint32_t* arrivals;  ///< zero at first
    int* states;              ///< [2][blocks][kThreads]
    int blocks, rounds;
    int* wrong;  ///< [blocks][kThreads]; what is found is added
  };
  static constexpr int kThreads = 384;
  static constexpr int kBlocksAtOnce = 1;
  static constexpr int kSharedBytes = 60 * 1024;  // as much as a joined layer takes: more than without asking
  static constexpr int kOthers = 8;               ///< whose states a block reads

  P2MPP_HOST_DEVICE static constexpr int written(int round, int block) { return (round + 1) * 1000 + block; }

  P2MPP_DEVICE static void run(const Arguments& arguments) {
    const int states = arguments.blocks * kThreads;
    for (int round = 0; round < arguments.rounds; ++round) {
      if (round > 0) {
        block_barrier();
        if (thread_index() == 0) grid_barrier(arguments.arrivals, static_cast<std::uint32_t>(round * arguments.blocks));
        block_barrier();
        const int* before = arguments.states + round % 2 * states;
        for (int way = 1; way <= kOthers; ++way) {
          const int other = (block_x() + way * 13) % arguments.blocks;
          if (before[other * kThreads + thread_index()] != written(round - 1, other)) {
            arguments.wrong[block_x() * kThreads + thread_index()] += 1;
          }
        }
      }
      arguments.states[(1 - round % 2) * states + block_x() * kThreads + thread_index()] = written(round, block_x());
    }
  }
};

/// Keeps a multiprocessor busy for so many cycles of its clock; on the emulation, nanoseconds.
struct Busy {
  struct Arguments {
    long long cycles;
  };
  static constexpr int kThreads = 1024;
  static constexpr int kBlocksAtOnce = 1;

  P2MPP_DEVICE static void run(const Arguments& arguments) {
#if defined(__CUDACC__)
    const long long begin = clock64();
    while (clock64() - begin < arguments.cycles) {
    }
#else
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < std::chrono::nanoseconds(arguments.cycles)) {
    }
#endif
  }
};

}  // namespace
}  // namespace p2mpp::probe
