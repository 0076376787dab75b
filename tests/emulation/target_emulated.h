#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "backends/cuda/numbers.h"
#include "emulation/block.h"
#include "emulation/fault.h"

#define P2MPP_DEVICE inline
#define P2MPP_UNROLL
#define P2MPP_UNROLL_TWICE
#define P2MPP_DO_NOT_UNROLL

// Declares the same names as target_cuda.h.

namespace p2mpp::cuda {
namespace {

P2MPP_DEVICE int thread_index() { return emulation::thread_index(); }
P2MPP_DEVICE int block_threads() { return emulation::block_threads(); }
P2MPP_DEVICE int block_x() { return emulation::block_x(); }
P2MPP_DEVICE int block_y() { return emulation::block_y(); }
P2MPP_DEVICE unsigned char* shared_memory() { return emulation::shared_memory(); }
P2MPP_DEVICE void barrier(int id, int threads) { emulation::wait_at_barrier(id, threads); }

P2MPP_DEVICE void grid_barrier(std::uint32_t* arrivals, std::uint32_t count) {
  *arrivals += 1;
  if (emulation::has_fault(emulation::Fault::kGridBarrierSkipped)) return;
  emulation::wait_until([arrivals, count] { return *arrivals >= count; });
}

P2MPP_DEVICE float shuffle_xor(float value, int mask) {
  if (emulation::has_fault(emulation::Fault::kLaneSumsWrong) && mask == 1) mask = 2;
  float values[2] = {value, 0};  // own value, received value
  emulation::wait_for_warp(values, [mask](const emulation::WarpPointers& lanes) {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      static_cast<float*>(lanes[lane])[1] = *static_cast<float*>(lanes[lane ^ static_cast<std::size_t>(mask)]);
    }
  });
  return values[1];
}

template <int kWords>
struct alignas(kWords * 4) Words {
  std::uint32_t at[kWords];
};

template <int kWords>
P2MPP_DEVICE Words<kWords> load_words(const void* from) {
  if (reinterpret_cast<std::uintptr_t>(from) % sizeof(Words<kWords>) != 0) std::abort();
  Words<kWords> words;
  std::memcpy(&words, from, sizeof words);
  return words;
}
template <int kWords>
P2MPP_DEVICE Words<kWords> load_constant_words(const void* from) {
  return load_words<kWords>(from);
}
P2MPP_DEVICE int opaque(int value) { return value; }
template <int kWords>
P2MPP_DEVICE void store_words(const Words<kWords>& words, void* to) {
  if (reinterpret_cast<std::uintptr_t>(to) % sizeof(Words<kWords>) != 0) std::abort();
  std::memcpy(to, &words, sizeof words);
}

P2MPP_DEVICE std::uint32_t bits_from(float value) { return float_bits(value); }
P2MPP_DEVICE float float_from_bits(std::uint32_t bits) { return float_of(bits); }
P2MPP_DEVICE float rectified(float value) { return value < 0 ? 0 : value; }
P2MPP_DEVICE float approximate_root(float value) { return std::sqrt(value); }
P2MPP_DEVICE std::uint32_t tf32_from(float value) { return float_bits(round_to_tf32(value)); }

P2MPP_DEVICE std::uint32_t bf16_pair(float first, float second) {
  return static_cast<std::uint32_t>(bfloat16_from(first)) | static_cast<std::uint32_t>(bfloat16_from(second)) << 16U;
}
P2MPP_DEVICE std::uint32_t f16_pair(float first, float second) {
  return static_cast<std::uint32_t>(float16_from(first)) | static_cast<std::uint32_t>(float16_from(second)) << 16U;
}

P2MPP_DEVICE std::uint32_t rectified_bf16_pair(float first, float second) {
  return bf16_pair(rectified(first), rectified(second));
}
P2MPP_DEVICE std::uint32_t rectified_f16_pair(float first, float second) {
  return f16_pair(rectified(first), rectified(second));
}

struct FloatPair {
  float first, second;
};
P2MPP_DEVICE FloatPair floats_of_bf16(std::uint32_t pair) {
  return {float_of(pair << 16U), float_of(pair & 0xffff0000U)};
}
P2MPP_DEVICE FloatPair floats_of_f16(std::uint32_t pair) {
  return {float_from(static_cast<Float16>(pair & 0xffffU)), float_from(static_cast<Float16>(pair >> 16U))};
}

P2MPP_DEVICE double product_rounded(double a, double b) { return a * b; }

}  // namespace
}  // namespace p2mpp::cuda
