#pragma once

#include <cstdio>
#include <utility>

#include "backends/cuda/hopper_layout.h"
#include "backends/cuda/kernels/arithmetic.h"
#include "emulation/warpgroup.h"

// Declares the same names as kernels/warpgroup.h. Layouts are implemented independently here, from the definitions of
// the instructions, so that a mistake in backends/cuda/hopper_layout.h gives wrong results.

namespace p2mpp::cuda {
namespace {

P2MPP_DEVICE std::uint32_t shared_address(const void* shared) {
  return static_cast<std::uint32_t>(static_cast<const unsigned char*>(shared) - emulation::shared_memory());
}

P2MPP_DEVICE void make_phase_barrier(void* at, int arrivals) { emulation::make_phase_barrier(at, arrivals); }
P2MPP_DEVICE void publish_phase_barriers() {}
P2MPP_DEVICE void arrive(void* at) { emulation::arrive(at, 0); }
P2MPP_DEVICE void arrive_expecting(void* at, int bytes) { emulation::arrive(at, bytes); }
P2MPP_DEVICE void wait_for_phase(void* at, int parity) {
  if (emulation::has_fault(emulation::Fault::kPhaseParityWrong)) parity ^= 1;
  emulation::wait_for_phase(at, parity);
}
P2MPP_DEVICE void copy_in_bulk(void* to, const void* from, int bytes, void* phase_barrier) {
  emulation::copy_in_bulk(to, from, bytes, phase_barrier);
}
P2MPP_DEVICE void publish_to_products() {}
P2MPP_DEVICE void begin_products() {}
P2MPP_DEVICE void end_group() {
  if (emulation::thread_index() % 32 == 0) emulation::end_group();
}
template <int kGroups>
P2MPP_DEVICE void wait_for_products() {
  emulation::wait_for_warp(nullptr, [](const emulation::WarpPointers&) { emulation::wait_for_groups(kGroups); });
}
template <int kRegisters>
P2MPP_DEVICE void allocate_registers() {}
template <int kRegisters>
P2MPP_DEVICE void release_registers() {}
template <class Register, int kCount>
P2MPP_DEVICE void pin(Register (&/*registers*/)[kCount]) {}

struct Fp8 {
  using Element = Float8;
  static constexpr Arithmetic kArithmetic = Arithmetic::kFp8;
  static float to_float(Float8 value) { return float_from(value); }
};

P2MPP_DEVICE std::uint32_t fp8_pair(float first, float second) {
  if (emulation::has_fault(emulation::Fault::kPairSwapped)) std::swap(first, second);
  return static_cast<std::uint32_t>(float8_from(first)) | static_cast<std::uint32_t>(float8_from(second)) << 8U;
}
P2MPP_DEVICE FloatPair floats_of_fp8(std::uint32_t pair) {
  return {float_from(static_cast<Float8>(pair & 0xffU)), float_from(static_cast<Float8>(pair >> 8U & 0xffU))};
}

/// Reads an element of an operand through its matrix descriptor.
template <class P>
float read_operand(std::uint64_t descriptor, int row, int k) {
  constexpr std::size_t kBytes = sizeof(typename P::Element);
  const auto field = [descriptor](unsigned bit) { return static_cast<std::size_t>(descriptor >> bit & 0x3fffU) * 16; };
  const std::size_t leading = field(16);
  const std::size_t stride = field(32);
  const auto at = static_cast<std::size_t>(emulation::has_fault(emulation::Fault::kCoreRowsSwapped) ? row ^ 1 : row);
  const std::size_t depth = static_cast<std::size_t>(k) * kBytes;
  const std::size_t byte = field(0) + at / 8 * stride + at % 8 * 16 + depth / 16 * leading + depth % 16;
  if (descriptor >> 46U != 0 || byte + kBytes > emulation::shared_bytes()) {
    std::fputs("a product reads outside the shared memory, or in a layout that is not emulated\n", stderr);
    std::abort();
  }
  typename P::Element value;
  std::memcpy(&value, emulation::shared_memory() + byte, sizeof value);
  return P::to_float(value);
}

/// A warp's share of a product: 16 rows of A times all columns of B.
template <class P>
struct WarpProduct {
  static constexpr int kDepth = 32 / static_cast<int>(sizeof(typename P::Element));

  struct Lane {
    float* sums;
    const std::uint32_t* weights;  ///< A's registers, with 16-bit elements; null: A is in shared memory
    std::uint64_t a, b;
    int columns;
    bool adds;
  };
  Lane lanes[32];
  std::uint32_t registers[32][4];
  int warp;  ///< index in the block

  explicit WarpProduct(const emulation::WarpPointers& pointers) : registers{}, warp(emulation::thread_index() / 32) {
    for (std::size_t lane = 0; lane < pointers.size(); ++lane) {
      lanes[lane] = *static_cast<const Lane*>(pointers[lane]);
      for (std::size_t i = 0; i < 4 && lanes[lane].weights != nullptr; ++i) registers[lane][i] = lanes[lane].weights[i];
    }
  }

  [[nodiscard]] float weight(int row, int k) const {
    if (lanes[0].weights == nullptr) return read_operand<P>(lanes[0].a, warp % 4 * 16 + row, k);
    const std::uint32_t word = registers[row % 8 * 4 + k % 8 / 2][row / 8 + 2 * (k / 8)];
    return P::to_float(static_cast<typename P::Element>(word >> (k % 2 == 0 ? 0U : 16U) & 0xffffU));
  }

  void compute() const {
    float a[16 * kDepth];
    for (int row = 0; row < 16; ++row) {
      for (int k = 0; k < kDepth; ++k) a[row * kDepth + k] = weight(row, k);
    }
    for (int tile = 0; tile < lanes[0].columns / 8; ++tile) {
      float b[kDepth * 8];
      float d[16 * 8];
      for (int k = 0; k < kDepth; ++k) {
        for (int column = 0; column < 8; ++column)
          b[k * 8 + column] = read_operand<P>(lanes[0].b, 8 * tile + column, k);
      }
      const auto sum_at = [&](int i) -> float& {
        const int row = i / 8;
        const int column = i % 8;
        return lanes[row % 8 * 4 + column / 2].sums[4 * tile + row / 8 * 2 + column % 2];
      };
      for (int i = 0; i < 16 * 8; ++i) d[i] = lanes[0].adds ? sum_at(i) : 0;
      if constexpr (sizeof(typename P::Element) == 1) {
        emulation::multiply_add_fp8(a, b, d);
      } else {
        emulation::multiply_add(kDepth, a, b, d);
      }
      for (int i = 0; i < 16 * 8; ++i) sum_at(i) = d[i];
    }
  }
};

template <class P>
void queue_product(typename WarpProduct<P>::Lane mine) {
  emulation::wait_for_warp(&mine, [](const emulation::WarpPointers& lanes) {
    emulation::queue_product([product = WarpProduct<P>(lanes)] { product.compute(); });
  });
}

template <class P>
P2MPP_DEVICE void multiply_tile(float (&sums)[kHopperSums], std::uint64_t weights, std::uint64_t rows, bool adds) {
  queue_product<P>({sums, nullptr, weights, rows, kHopperColumns, adds});
}
template <class P, int kSums>
P2MPP_DEVICE void multiply_vertex(float (&sums)[kSums], const std::uint32_t (&weights)[4], std::uint64_t rows,
                                  bool adds) {
  queue_product<P>({sums, weights, 0, rows, 2 * kSums, adds});
}

/// A lane's operands of stmatrix or ldmatrix: its words of the four matrices, and the address of 16 bytes of one.
struct MovedMatrices {
  std::uint32_t* words;
  unsigned char* row;
};

/// The matrices are transposed: element (lane / 4, 2 * (lane % 4) + half) of a matrix in registers is element lane / 4
/// of row 2 * (lane % 4) + half in memory. Lane 8 * matrix + row provides that row's address.
template <class Move>
void move_matrices(MovedMatrices mine, const Move& move) {
  if (reinterpret_cast<std::uintptr_t>(mine.row) % 16 != 0) std::abort();
  const std::size_t swapped = emulation::has_fault(emulation::Fault::kMatricesSwapped) ? 1 : 0;
  emulation::wait_for_warp(&mine, [&move, swapped](const emulation::WarpPointers& lanes) {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      for (std::size_t matrix = 0; matrix < 4; ++matrix) {
        for (std::size_t half = 0; half < 2; ++half) {
          const std::size_t row = 2 * (lane % 4) + half;
          auto* word = reinterpret_cast<unsigned char*>(static_cast<MovedMatrices*>(lanes[lane])->words + matrix);
          move(word + 2 * half, static_cast<MovedMatrices*>(lanes[8 * (matrix ^ swapped) + row])->row + 2 * (lane / 4));
        }
      }
    }
  });
}

P2MPP_DEVICE void store_matrices(std::uint32_t (&words)[4], void* to) {
  move_matrices({words, static_cast<unsigned char*>(to)},
                [](const unsigned char* word, unsigned char* memory) { std::memcpy(memory, word, 2); });
}
P2MPP_DEVICE void load_matrices(std::uint32_t (&words)[4], void* from) {
  move_matrices({words, static_cast<unsigned char*>(from)},
                [](unsigned char* word, const unsigned char* memory) { std::memcpy(word, memory, 2); });
}

}  // namespace
}  // namespace p2mpp::cuda
