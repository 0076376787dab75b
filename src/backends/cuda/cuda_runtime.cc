#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <nvtx3/nvToolsExt.h>

#include <array>
#include <fstream>
#include <map>
#include <mutex>

#include "backends/cuda/device_memory.h"
#include "backends/cuda/device_runtime.h"
#include "backends/cuda/nearest_neighbours.h"
#include "backends/cuda/pass_order.h"
#include "base/clock.h"
#include "base/machine/device_choice.h"
#include "base/machine/host.h"

namespace p2mpp {
namespace {

void check_status(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // clears the error so that later calls do not report it
  const std::string what = fmt::format("CUDA: {}: {}", call, cudaGetErrorString(status));
  if (status == cudaErrorMemoryAllocation) throw OutOfDeviceMemory(what);
  throw Error(what);
}

constexpr std::chrono::seconds kClocksHold(1);

// The driver's own version, which distinguishes more releases than CUDA's; empty if the system does not provide it.
std::string driver_release() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  return line;
}

struct CudaEvent : DeviceEvent {
  CudaEvent() { check_status(cudaEventCreate(&event), "cudaEventCreate"); }
  ~CudaEvent() override { static_cast<void>(cudaEventDestroy(event)); }
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  cudaEvent_t event = nullptr;
};

struct CudaGraph : DeviceGraph {
  explicit CudaGraph(cudaGraph_t graph) {
    // Without this flag all kernels would take the priority of the stream in which the graph is launched.
    const cudaError_t status = cudaGraphInstantiate(&executable, graph, cudaGraphInstantiateFlagUseNodePriority);
    static_cast<void>(cudaGraphDestroy(graph));
    check_status(status, "cudaGraphInstantiate");
  }
  ~CudaGraph() override { static_cast<void>(cudaGraphExecDestroy(executable)); }
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  cudaGraphExec_t executable = nullptr;
};

// Never destroyed because an engine may be a static object.
PassOrder& pass_order_of(int device_index) {
  static std::mutex mutex;
  static auto& orders = *new std::map<int, PassOrder>;
  const std::lock_guard lock(mutex);
  return orders[device_index];
}

class CudaRuntime : public DeviceRuntime {
 public:
  explicit CudaRuntime(int device_index) : device_index_(device_index) {
    select();
    shared_bytes_ = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    const bool is_ours = attribute(cudaDevAttrCooperativeLaunch) != 0 && !shares_multiprocessors();
    multiprocessors_ = is_ours ? attribute(cudaDevAttrMultiProcessorCount) : 0;
    is_hopper_ = attribute(cudaDevAttrComputeCapabilityMajor) == 9 && attribute(cudaDevAttrComputeCapabilityMinor) == 0;
    int last = 0;
    int first = 0;
    check_status(cudaDeviceGetStreamPriorityRange(&last, &first), "cudaDeviceGetStreamPriorityRange");
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      check_status(
          cudaStreamCreateWithPriority(&streams_[i], cudaStreamNonBlocking, i == kComputeStream ? first : last),
          "cudaStreamCreate");
    }
    check_status(cudaStreamCreateWithFlags(&clock_stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    check_status(cudaEventCreateWithFlags(&passed_, cudaEventDisableTiming), "cudaEventCreate");
    compared_ = std::make_unique<CudaEvent>();
  }
  CudaRuntime(const CudaRuntime&) = delete;
  CudaRuntime& operator=(const CudaRuntime&) = delete;
  ~CudaRuntime() override {
    static_cast<void>(cudaEventDestroy(passed_));
    static_cast<void>(cudaStreamDestroy(clock_stream_));
    for (cudaStream_t stream : streams_) static_cast<void>(cudaStreamDestroy(stream));
  }

  void use() override { select(); }
  [[nodiscard]] const CudaKernels& kernels() const override { return kernels_; }
  [[nodiscard]] std::size_t shared_bytes_per_block() const override { return static_cast<std::size_t>(shared_bytes_); }
  [[nodiscard]] int multiprocessors() const override { return multiprocessors_; }
  [[nodiscard]] std::string identity() const override {
    cudaDeviceProp device{};
    check_status(cudaGetDeviceProperties(&device, device_index_), "cudaGetDeviceProperties");
    int version = 0;
    check_status(cudaDriverGetVersion(&version), "cudaDriverGetVersion");
    std::string uuid;
    for (const char byte : device.uuid.bytes) uuid += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    return fmt::format("device {}, {}, compute capability {}.{}\ndriver of CUDA {}, {}", device.name, uuid,
                       device.major, device.minor, version, driver_release());
  }
  [[nodiscard]] bool is_hopper() const override { return is_hopper_; }

  [[nodiscard]] MemoryState memory() const override {
    std::size_t available = 0;
    std::size_t total = 0;
    check_status(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
    return {.total = total, .available = available};
  }
  [[nodiscard]] void* allocate(std::size_t bytes) override {
    void* memory = nullptr;
    check_status(cudaMalloc(&memory, bytes), fmt::format("cudaMalloc of {} MB", bytes >> 20U).c_str());
    return memory;
  }
  void release(void* memory) noexcept override { static_cast<void>(cudaFree(memory)); }
  [[nodiscard]] void* allocate_pinned(std::size_t bytes) override {
    void* memory = nullptr;
    check_status(cudaMallocHost(&memory, bytes), fmt::format("cudaMallocHost of {} MB", bytes >> 20U).c_str());
    return memory;
  }
  void release_pinned(void* memory) noexcept override { static_cast<void>(cudaFreeHost(memory)); }

  void copy_to_device(void* to, const void* from, std::size_t bytes, DeviceStream stream) override {
    check_status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, cuda(stream)), "copy to the device");
  }
  void copy_on_device(void* to, const void* from, std::size_t bytes, DeviceStream stream) override {
    check_status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, cuda(stream)), "copy on the device");
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes, DeviceStream stream) override {
    check_status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, cuda(stream)), "copy to the host");
  }

  [[nodiscard]] DeviceStream stream(int index) override { return streams_[static_cast<std::size_t>(index)]; }
  void wait_for(DeviceStream waiting, DeviceStream other) override {
    check_status(cudaEventRecord(passed_, cuda(other)), "cudaEventRecord");
    check_status(cudaStreamWaitEvent(cuda(waiting), passed_, 0), "cudaStreamWaitEvent");
  }
  void wait_for(DeviceStream waiting, const DeviceEvent& event) override {
    check_status(cudaStreamWaitEvent(cuda(waiting), static_cast<const CudaEvent&>(event).event, 0),
                 "cudaStreamWaitEvent");
  }
  [[nodiscard]] int priority(DeviceStream stream) const override {
    int priority = 0;
    check_status(cudaStreamGetPriority(cuda(stream), &priority), "cudaStreamGetPriority");
    return priority;
  }
  [[nodiscard]] PassOrder& pass_order() override { return pass_order_of(device_index_); }
  void synchronize(DeviceStream stream) override { check_status(cudaStreamSynchronize(cuda(stream)), "computing"); }

  void begin_recording() override {
    check_status(cudaStreamBeginCapture(streams_[kComputeStream], cudaStreamCaptureModeThreadLocal),
                 "cudaStreamBeginCapture");
  }
  [[nodiscard]] std::unique_ptr<DeviceGraph> end_recording() override {
    cudaGraph_t graph = nullptr;
    check_status(cudaStreamEndCapture(streams_[kComputeStream], &graph), "cudaStreamEndCapture");
    return std::make_unique<CudaGraph>(graph);
  }
  void launch(const DeviceGraph& graph, DeviceStream stream) override {
    check_status(cudaGraphLaunch(static_cast<const CudaGraph&>(graph).executable, cuda(stream)), "cudaGraphLaunch");
  }

  [[nodiscard]] std::unique_ptr<DeviceEvent> make_event() override { return std::make_unique<CudaEvent>(); }
  // In a recording, an ordinary event only orders work and records no time.
  void record(DeviceEvent& event, DeviceStream stream) override {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    check_status(cudaStreamIsCapturing(cuda(stream), &capture), "cudaStreamIsCapturing");
    const unsigned flags = capture == cudaStreamCaptureStatusNone ? cudaEventRecordDefault : cudaEventRecordExternal;
    check_status(cudaEventRecordWithFlags(static_cast<CudaEvent&>(event).event, cuda(stream), flags),
                 "cudaEventRecord");
  }
  void wait(const DeviceEvent& event) override {
    check_status(cudaEventSynchronize(static_cast<const CudaEvent&>(event).event), "computing");
  }
  [[nodiscard]] double milliseconds_between(const DeviceEvent& begin, const DeviceEvent& end) override {
    float milliseconds = 0;
    check_status(cudaEventElapsedTime(&milliseconds, static_cast<const CudaEvent&>(begin).event,
                                      static_cast<const CudaEvent&>(end).event),
                 "cudaEventElapsedTime");
    return static_cast<double>(milliseconds);
  }

  [[nodiscard]] Clock::time_point time_of(const DeviceEvent& event) override {
    compare_clocks();
    const std::chrono::duration<double, std::milli> later(milliseconds_between(*compared_, event));
    return compared_at_ + std::chrono::duration_cast<Clock::duration>(later);
  }

  void begin_range(const char* name) override { nvtxRangePushA(name); }
  void end_range() noexcept override { nvtxRangePop(); }

  void check_launch(int status, const char* kernel) const override {
    check_status(static_cast<cudaError_t>(status), kernel);
  }

 private:
  // The two clocks drift apart, and time differences are floats, so the clocks are compared again from time to time. A
  // separate stream is used so that no other work delays the event.
  void compare_clocks() {
    const Clock::time_point before = Clock::now();
    if (before - compared_at_ < kClocksHold) return;
    record(*compared_, clock_stream_);
    wait(*compared_);
    compared_at_ = before + (Clock::now() - before) / 2;
  }

  static cudaStream_t cuda(DeviceStream stream) { return static_cast<cudaStream_t>(stream); }
  void select() const { check_status(cudaSetDevice(device_index_), "cudaSetDevice"); }

  [[nodiscard]] int attribute(cudaDeviceAttr which) const {
    int value = 0;
    check_status(cudaDeviceGetAttribute(&value, which, device_index_), "cudaDeviceGetAttribute");
    return value;
  }

  // Whether other processes run on the device at the same time, under MPS. Assumes so if the driver is too old to
  // report it.
  [[nodiscard]] bool shares_multiprocessors() const {
    int shares = 1;
    const cudaError_t status = cudaDeviceGetAttribute(&shares, cudaDevAttrMpsEnabled, device_index_);
    if (status == cudaSuccess) return shares != 0;
    static_cast<void>(cudaGetLastError());
    return true;
  }

  int device_index_;
  int shared_bytes_ = 0;
  int multiprocessors_ = 0;
  bool is_hopper_ = false;
  CudaKernels kernels_ = all_kernels();
  std::array<cudaStream_t, kStreamCount> streams_{};
  cudaStream_t clock_stream_ = nullptr;
  cudaEvent_t passed_ = nullptr;
  std::unique_ptr<CudaEvent> compared_;  // the device passed it at compared_at_ on the host's clock
  Clock::time_point compared_at_ = {};
};

}  // namespace

std::unique_ptr<DeviceRuntime> make_cuda_runtime(int device_index) {
  return std::make_unique<CudaRuntime>(device_index);
}

void check_cuda_runtime(int device_index) {
  constexpr std::string_view kWhose = "p2mpp's kernels";
  const CudaDriver& driver = cuda_driver();
  check_driver(driver.version, CUDART_VERSION, kWhose);
  check_gpu(driver.devices.at(static_cast<std::size_t>(device_index)), oldest_capability(), kWhose);
  // The smallest computation that involves allocation, copies and a kernel for this GPU's generation.
  DeviceNeighbourSearch search(make_cuda_runtime(device_index));
  const std::array<Eigen::Vector3f, 2> targets = {Eigen::Vector3f(0, 0, 0), Eigen::Vector3f(1, 2, 3)};
  const std::array<Eigen::Vector3f, 1> queries = {Eigen::Vector3f(1, 2, 4)};
  const Neighbours found = search.find(queries, targets);
  if (found.indices[0] != 1 || found.squared_distances[0] != 1) throw Error("CUDA: a kernel computed a wrong result");
}

}  // namespace p2mpp
