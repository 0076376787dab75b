#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "backends/cuda/device_runtime.h"
#include "backends/cuda/guarded_checks.h"
#include "backends/cuda/packed_weights.h"
#include "backends/cuda/probe_kernels.h"

// The expected results of the kernels of probe_kernels.h: small integers, whose sums are exact in every arithmetic.
// Device: probe.cu's or probe_test.cc's, which have the same members.

namespace p2mpp::probe {
namespace {

inline float number(int i, int k) { return static_cast<float>(small_integer(i, k)); }

/// found [rows][columns] against expected(row, column).
template <class Expected>
CheckResult compare(const std::vector<float>& found, int rows, int columns, const Expected& expected) {
  int wrong = 0;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const float value = found[static_cast<std::size_t>(row * columns + column)];
      if (!(value == expected(row, column))) ++wrong;
    }
  }
  return exact(wrong, rows * columns);
}

inline std::vector<float> unwritten(int rows, int columns) {
  return std::vector<float>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), -1000);
}

template <class Device>
CheckResult check_code(Device& device) {
  int* hopper = device.upload(std::vector<int>{-1});
  device.template run<WhichCode>({.threads = WhichCode::kThreads}, {hopper});
  const int found = device.download(hopper, 1).front();
  if (found != 0 && found != 1) return failed("a kernel that writes one number did not write it");
  if (device.is_hopper() && found == 0) return failed("compiled without sm_90a, which this GPU needs");
  return passed(found == 1 ? "compiled for sm_90a" : "compiled without Hopper's instructions");
}

template <class P, class Device>
CheckResult check_warp_product(Device& device) {
  const auto weight = [](std::size_t k, std::size_t channel) {
    return number(static_cast<int>(channel), static_cast<int>(k) + 3);
  };
  std::vector<float> rows;
  for (int row = 0; row < 8; ++row) {
    for (int k = 0; k < P::kDepth; ++k) rows.push_back(number(row, k));
  }
  float* out = device.upload(unwritten(8, 32));
  device.template run<WarpProduct<P>>(
      {.threads = 32, .shared_bytes = WarpProduct<P>::kSharedBytes},
      {device.upload(pack_weights(P::kArithmetic, P::kDepth, 32, weight)), device.upload(rows), out});
  return compare(device.download(out, 8 * 32), 8, 32, [&](int row, int channel) {
    float sum = 0;
    for (int k = 0; k < P::kDepth; ++k) sum += number(channel, k + 3) * number(row, k);
    return sum;
  });
}

template <class P, class Device>
CheckResult check_tile_product(Device& device) {
  constexpr int kDepth = P::kArithmetic == Arithmetic::kFp8 ? 2 * kHopperDepth : kHopperDepth;
  std::vector<std::uint32_t> a;
  std::vector<std::uint32_t> b;
  append_operand(
      P::kArithmetic, kWarpgroupChannels, 0, kDepth, [](int row, int k) { return number(row, k + 1); }, a);
  append_operand(P::kArithmetic, kHopperColumns, 0, kDepth, number, b);
  float* out = device.upload(unwritten(kWarpgroupChannels, kHopperColumns));
  device.template run<TileProduct<P>>({.threads = kWarpgroupThreads, .shared_bytes = TileProduct<P>::kSharedBytes},
                                      {device.upload(a), device.upload(b), out});
  return compare(device.download(out, kWarpgroupChannels * kHopperColumns), kWarpgroupChannels, kHopperColumns,
                 [](int channel, int column) {
                   float sum = 0;
                   for (int k = 0; k < kDepth; ++k) sum += 2 * number(channel, k + 1) * number(column, k);
                   return sum;
                 });
}

template <class P, int kRows, class Device>
CheckResult check_vertex_product(Device& device) {
  std::vector<std::uint32_t> b;
  append_operand(
      P::kArithmetic, kRows, 0, kRows, [](int row, int k) { return number(row, k + 2); }, b);
  float* out = device.upload(unwritten(kWarpgroupChannels, kRows));
  device.template run<VertexProduct<P, kRows>>(
      {.threads = kWarpgroupThreads, .shared_bytes = VertexProduct<P, kRows>::kSharedBytes},
      {nullptr, device.upload(b), out});
  return compare(device.download(out, kWarpgroupChannels * kRows), kWarpgroupChannels, kRows,
                 [](int channel, int column) {
                   float sum = 0;
                   for (int k = 0; k < kRows; ++k) sum += number(channel, k) * number(column, k + 2);
                   return sum;
                 });
}

template <class Operands, class Device>
CheckResult check_states(Device& device) {
  float* out = device.upload(unwritten(kWarpgroupChannels, kHopperColumns));
  device.template run<StoredStates<Operands>>(
      {.threads = kWarpgroupThreads, .shared_bytes = StoredStates<Operands>::kSharedBytes}, {out});
  return compare(device.download(out, kWarpgroupChannels * kHopperColumns), kWarpgroupChannels, kHopperColumns,
                 [](int channel, int column) { return static_cast<float>(2 * state_value(channel, column)); });
}

template <class Device>
CheckResult check_ring(Device& device, int chunks) {
  std::vector<std::uint32_t> words;
  std::vector<std::uint32_t> expected(Ring::kReaders);
  for (int chunk = 0; chunk < chunks; ++chunk) {
    for (int i = 0; i < Ring::kWords; ++i) {
      words.push_back(static_cast<std::uint32_t>(words.size()) * 2654435761U);
      expected[static_cast<std::size_t>(i % Ring::kReaders)] += static_cast<std::uint32_t>(chunk + 1) * words.back();
    }
  }
  std::uint32_t* sums = device.upload(std::vector<std::uint32_t>(Ring::kReaders, 0));
  device.template run<Ring>({.threads = Ring::kThreads, .shared_bytes = Ring::kSharedBytes},
                            {device.upload(words), chunks, sums});
  const std::vector<std::uint32_t> found = device.download(sums, expected.size());
  int wrong = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) wrong += found[i] != expected[i] ? 1 : 0;
  return exact(wrong, Ring::kReaders);
}

/// How long the checks of recorded work go on.
struct Effort {
  int rounds, replays;
  long long busy_cycles;
};

/// Blocks that wait for each other in a recorded graph, beside a kernel that fills the device. Counters come as zeros
/// with every replay.
template <class Device>
CheckResult check_grid_barrier(Device& device, const Effort& effort) {
  const int blocks = device.multiprocessors();
  const int threads = blocks * Rounds::kThreads;
  const auto count = static_cast<std::size_t>(threads);
  std::uint32_t* arrivals = device.upload(std::vector<std::uint32_t>{0});
  int* states = device.upload(std::vector<int>(2 * count, 0));
  int* wrong = device.upload(std::vector<int>(count, 0));
  device.record([&] {
    device.wait_for(kBesideStream, kComputeStream);
    for (int i = 0; i < 4; ++i) {
      device.template queue<Busy>({.blocks_x = 5 * blocks / 2, .threads = Busy::kThreads}, {effort.busy_cycles},
                                  kBesideStream);
    }
    device.template queue<Rounds>(
        {.blocks_x = blocks, .threads = Rounds::kThreads, .shared_bytes = Rounds::kSharedBytes, .cooperative = true},
        {arrivals, states, blocks, effort.rounds, wrong}, kComputeStream);
    device.wait_for(kComputeStream, kBesideStream);
  });
  for (int i = 0; i < effort.replays; ++i) {
    device.clear(arrivals);
    device.replay();
  }
  device.synchronize();
  int sum = 0;
  for (const int each : device.download(wrong, count)) sum += each;
  return exact(sum, effort.replays * (effort.rounds - 1) * Rounds::kOthers * threads);
}

/// Event times of a graph: a kernel of known length lies between two marks, and the host's clock around both.
template <class Device>
CheckResult check_event_times(Device& device, long long cycles, double at_least_ms) {
  device.record([&] {
    device.mark_begin();
    device.template queue<Busy>({.threads = 32}, {cycles}, kComputeStream);
    device.mark_end();
  });
  std::string text;
  for (int i = 0; i < 2; ++i) {  // the first launch uploads the graph
    const auto begin = std::chrono::steady_clock::now();
    device.replay();
    device.synchronize();
    const std::chrono::duration<double, std::milli> around = std::chrono::steady_clock::now() - begin;
    const double between = device.milliseconds_marked();
    text = std::to_string(between) + " ms between events, " + std::to_string(around.count()) + " ms on the host";
    if (!(between >= at_least_ms) || between > around.count()) {
      return failed(text + "; expected at least " + std::to_string(at_least_ms) + " ms and no more than on the host");
    }
  }
  return passed(text);
}

/// All checks, in the order in which each rests on those before it. `only_hopper` are skipped elsewhere.
template <class Device>
std::vector<Check<Device>> all_checks(int chunks, const Effort& effort, long long timed_cycles, double timed_ms) {
  using Bf16 = cuda::Bf16;
  using Fp16 = cuda::Fp16;
  return {
      {"code for this device", check_code<Device>},
      {"mma.sync m16n8k8 tf32", check_warp_product<cuda::Tf32, Device>},
      {"mma.sync m16n8k16 bf16", check_warp_product<Bf16, Device>},
      {"mma.sync m16n8k16 fp16", check_warp_product<Fp16, Device>},
      {"mma.sync, two tf32 parts", check_warp_product<cuda::Fp32, Device>},
      {"mma.sync, two bf16 parts", check_warp_product<cuda::Bf16x3, Device>},
      {"wgmma m64n192k16 bf16", check_tile_product<Bf16, Device>, true},
      {"wgmma m64n192k16 fp16", check_tile_product<Fp16, Device>, true},
      {"wgmma m64n192k32 e4m3", check_tile_product<cuda::Fp8, Device>, true},
      {"wgmma m64n48k16 bf16, A in registers", check_vertex_product<Bf16, 48, Device>, true},
      {"wgmma m64n48k16 fp16, A in registers", check_vertex_product<Fp16, 48, Device>, true},
      {"wgmma m64n64k16 bf16, A in registers", check_vertex_product<Bf16, 64, Device>, true},
      {"wgmma m64n64k16 fp16, A in registers", check_vertex_product<Fp16, 64, Device>, true},
      {"stmatrix, ldmatrix, bf16", check_states<cuda::HalfOperands<Bf16>, Device>, true},
      {"stmatrix, ldmatrix, fp16", check_states<cuda::HalfOperands<Fp16>, Device>, true},
      {"stmatrix, ldmatrix, e4m3", check_states<cuda::Fp8Operands, Device>, true},
      {"bulk copies, mbarrier, setmaxnreg", [=](Device& device) { return check_ring(device, chunks); }, true},
      {"event times of a graph", [=](Device& device) { return check_event_times(device, timed_cycles, timed_ms); }},
      {"grid barrier, in a graph", [=](Device& device) { return check_grid_barrier(device, effort); }},
  };
}

}  // namespace
}  // namespace p2mpp::probe
