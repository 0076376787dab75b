#pragma once

#include <benchmark/benchmark.h>

#include <string>

#include "base/machine/instruction_set.h"
#include "backends/cpu/kernels.h"

namespace p2mpp::micro {

/// The clock of a benchmark's rates.
enum class Clock {
  kThread,  ///< the processor time of its thread: what else runs on the machine disturbs little
  kWall     ///< for what computes in several threads
};

/// Adds the benchmark `name`, which calls run(state).
template <class Run>
void add_benchmark(const std::string& name, Clock clock, const Run& run) {
  auto* added = benchmark::RegisterBenchmark(name.c_str(), run);
  added->Unit(benchmark::kMicrosecond);
  if (clock == Clock::kWall) added->UseRealTime();
}

/// Adds OPERATION/SET/ELEMENT for each instruction set that this machine has and each element; all of them call
/// run(state, kernels, float_kernels).
template <class Run>
void add_benchmarks(const std::string& operation, Clock clock, const Run& run) {
  for (const InstructionSet set : usable_instruction_sets()) {
    const Kernels<float>& float_kernels = kernels_for<float>(set);
    const auto add = [&](const char* element, const auto& kernels) {
      add_benchmark(operation + "/" + std::string(to_string(set)) + "/" + element, clock,
                    [run, &kernels, &float_kernels](benchmark::State& state) { run(state, kernels, float_kernels); });
    };
    add("fp32", float_kernels);
    add("bf16", kernels_for<Bfloat16>(set));
  }
}

/// Reported as FLOP a second: two for each multiply-add that the network asks for. What an operation does besides, such
/// as computing on padding, is not counted.
inline void count_flop(benchmark::State& state, double flop_an_iteration) {
  state.counters["FLOP"] = benchmark::Counter(flop_an_iteration, benchmark::Counter::kIsIterationInvariantRate);
}

/// Reported as bytes a second: those read and written, from whatever cache.
inline void count_bytes(benchmark::State& state, double bytes_an_iteration) {
  state.counters["bytes"] = benchmark::Counter(bytes_an_iteration, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace p2mpp::micro
