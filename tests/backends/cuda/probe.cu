// Each primitive that p2mpp's CUDA kernels rest on, alone, with exact small integers: the first program to run on a GPU
// that none of them has run on yet. It needs a CUDA toolkit and nothing else, and is built in seconds:
//   nvcc -std=c++20 -O3 -I include -I src -I tests -gencode=arch=compute_90a,code=sm_90a tests/backends/cuda/probe.cu
//     tests/backends/cuda/guarded_checks.cc src/backends/cuda/packed_weights.cc -o probe
// usage: probe     (on the first CUDA device)
// Prints a line for each check. Exit code 0: all passed or were skipped; 1: some failed or hang, or there is no device.
#include <cstdio>
#include <stdexcept>

#include "backends/cuda/kernels/launch.h"
#include "backends/cuda/probe_checks.h"

namespace p2mpp::probe {
namespace {

constexpr Guard kGuard{.start_seconds = 60, .check_seconds = 5};
constexpr int kRingChunks = 200;
constexpr Effort kEffort{.rounds = 100, .replays = 50, .busy_cycles = 30000};
// At 3 GHz, which no GPU exceeds, a millisecond.
constexpr long long kTimedCycles = 3'000'000;
constexpr double kTimedMilliseconds = 1;

void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}

/// The first CUDA device. What it allocates is freed with the process.
class GpuDevice {
 public:
  GpuDevice() {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, 0), "no CUDA device can be used");
    is_hopper_ = properties.major == 9 && properties.minor == 0;
    multiprocessors_ = properties.multiProcessorCount;
    std::printf("%s, compute capability %d.%d, %d multiprocessors, %zu bytes of shared memory for a block\n",
                properties.name, properties.major, properties.minor, properties.multiProcessorCount,
                properties.sharedMemPerBlockOptin);
    std::fflush(stdout);
    for (int i : {kComputeStream, kBesideStream}) {
      check(cudaStreamCreateWithFlags(&streams_[i], cudaStreamNonBlocking), "cudaStreamCreate");
    }
    check(cudaEventCreateWithFlags(&passed_, cudaEventDisableTiming), "cudaEventCreate");
    check(cudaEventCreate(&begin_), "cudaEventCreate");
    check(cudaEventCreate(&end_), "cudaEventCreate");
  }

  [[nodiscard]] bool is_hopper() const { return is_hopper_; }
  [[nodiscard]] int multiprocessors() const { return multiprocessors_; }

  template <class Value>
  [[nodiscard]] Value* upload(const std::vector<Value>& values) {
    Value* memory = nullptr;
    check(cudaMalloc(&memory, values.size() * sizeof(Value)), "cudaMalloc");
    check(cudaMemcpy(memory, values.data(), values.size() * sizeof(Value), cudaMemcpyHostToDevice), "copy in");
    return memory;
  }
  template <class Value>
  [[nodiscard]] std::vector<Value> download(const Value* memory, std::size_t count) {
    std::vector<Value> values(count);
    check(cudaMemcpy(values.data(), memory, count * sizeof(Value), cudaMemcpyDeviceToHost), "copy out");
    return values;
  }

  template <class Kernel>
  void queue(const Launch& launch, const typename Kernel::Arguments& arguments, int stream) {
    check(static_cast<cudaError_t>(cuda::launch<Kernel>(launch, arguments, streams_[stream])), "launch");
  }
  template <class Kernel>
  void run(const Launch& launch, const typename Kernel::Arguments& arguments) {
    queue<Kernel>(launch, arguments, kComputeStream);
    synchronize();
  }
  void synchronize() { check(cudaStreamSynchronize(streams_[kComputeStream]), "computing"); }

  void wait_for(int waiting, int other) {
    check(cudaEventRecord(passed_, streams_[other]), "cudaEventRecord");
    check(cudaStreamWaitEvent(streams_[waiting], passed_, 0), "cudaStreamWaitEvent");
  }
  void clear(std::uint32_t* counter) {
    check(cudaMemsetAsync(counter, 0, sizeof *counter, streams_[kComputeStream]), "cudaMemsetAsync");
  }

  template <class Work>
  void record(const Work& work) {
    check(cudaStreamBeginCapture(streams_[kComputeStream], cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    work();
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(streams_[kComputeStream], &graph), "cudaStreamEndCapture");
    check(cudaGraphInstantiate(&executable_, graph, 0), "cudaGraphInstantiate");
  }
  void replay() { check(cudaGraphLaunch(executable_, streams_[kComputeStream]), "cudaGraphLaunch"); }

  void mark_begin() { event(begin_); }
  void mark_end() { event(end_); }
  [[nodiscard]] double milliseconds_marked() const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    return static_cast<double>(milliseconds);
  }

 private:
  // In a recording, a plain event would only order work and carry no time.
  void event(cudaEvent_t event) {
    check(cudaEventRecordWithFlags(event, streams_[kComputeStream], cudaEventRecordExternal), "cudaEventRecord");
  }

  bool is_hopper_ = false;
  int multiprocessors_ = 0;
  cudaStream_t streams_[2] = {};
  cudaEvent_t passed_ = nullptr, begin_ = nullptr, end_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace
}  // namespace p2mpp::probe

int main() {
  using namespace p2mpp::probe;
  const auto checks = all_checks<GpuDevice>(kRingChunks, kEffort, kTimedCycles, kTimedMilliseconds);
  GpuDevice* device = nullptr;  // of a child
  GuardedWork work;
  for (const auto& each : checks) work.names.push_back(each.name);
  work.start = [&] { device = new GpuDevice; };
  work.run = [&](std::size_t index) {
    if (checks[index].only_hopper && !device->is_hopper()) return skipped("for compute capability 9.0 alone");
    return checks[index].run(*device);
  };
  const bool good = run_guarded(work, kGuard, [](const std::string& line) {
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
  });
  return good ? 0 : 1;
}
