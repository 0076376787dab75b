// Times the CUDA kernels one by one: every kernel of a pass is launched by the host, with an event after it.
// usage: p2mpp_kernel_times MODEL [PRECISION [BATCH [PASSES [portable]]]]
// portable: without the kernels that are for one generation of GPUs.
// Prints a line for each kind of kernel: name, launches a pass, microseconds a pass (the median of all passes); and one
// for the device memory: "allocated", 0, MB.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <string>

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/device_runtime.h"
#include "base/machine/host.h"
#include "eval/benchmark.h"
#include "model/model.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

/// Marks the first stream after each launch.
class TimedRuntime : public DeviceRuntime {
 public:
  /// portable: none of the kernels that are for one generation of GPUs.
  TimedRuntime(std::unique_ptr<DeviceRuntime> runtime, bool portable)
      : runtime_(std::move(runtime)), portable_(portable) {}

  void use() override { runtime_->use(); }
  [[nodiscard]] const CudaKernels& kernels() const override { return runtime_->kernels(); }
  [[nodiscard]] std::size_t shared_bytes_per_block() const override { return runtime_->shared_bytes_per_block(); }
  [[nodiscard]] int multiprocessors() const override { return runtime_->multiprocessors(); }
  [[nodiscard]] std::string identity() const override { return runtime_->identity(); }
  [[nodiscard]] bool is_hopper() const override { return runtime_->is_hopper() && !portable_; }
  [[nodiscard]] MemoryState memory() const override { return runtime_->memory(); }
  [[nodiscard]] void* allocate(std::size_t bytes) override {
    allocated_bytes_ += bytes;
    return runtime_->allocate(bytes);
  }
  void release(void* memory) noexcept override { runtime_->release(memory); }
  [[nodiscard]] void* allocate_pinned(std::size_t bytes) override { return runtime_->allocate_pinned(bytes); }
  void release_pinned(void* memory) noexcept override { runtime_->release_pinned(memory); }
  void copy_to_device(void* to, const void* from, std::size_t bytes, DeviceStream stream) override {
    runtime_->copy_to_device(to, from, bytes, stream);
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes, DeviceStream stream) override {
    runtime_->copy_to_host(to, from, bytes, stream);
  }
  void copy_on_device(void* to, const void* from, std::size_t bytes, DeviceStream stream) override {
    runtime_->copy_on_device(to, from, bytes, stream);
  }
  // One stream for all, so that kernels do not run beside each other.
  [[nodiscard]] DeviceStream stream(int /*index*/) override { return runtime_->stream(kComputeStream); }
  void wait_for(DeviceStream /*waiting*/, DeviceStream /*other*/) override {}
  void wait_for(DeviceStream waiting, const DeviceEvent& event) override { runtime_->wait_for(waiting, event); }
  [[nodiscard]] int priority(DeviceStream stream) const override { return runtime_->priority(stream); }
  [[nodiscard]] PassOrder& pass_order() override { return runtime_->pass_order(); }
  void synchronize(DeviceStream stream) override { runtime_->synchronize(stream); }
  void begin_recording() override { runtime_->begin_recording(); }
  [[nodiscard]] std::unique_ptr<DeviceGraph> end_recording() override { return runtime_->end_recording(); }
  void launch(const DeviceGraph& graph, DeviceStream stream) override { runtime_->launch(graph, stream); }
  [[nodiscard]] std::unique_ptr<DeviceEvent> make_event() override { return runtime_->make_event(); }
  void record(DeviceEvent& event, DeviceStream stream) override { runtime_->record(event, stream); }
  void wait(const DeviceEvent& event) override { runtime_->wait(event); }
  [[nodiscard]] double milliseconds_between(const DeviceEvent& begin, const DeviceEvent& end) override {
    return runtime_->milliseconds_between(begin, end);
  }
  [[nodiscard]] std::chrono::steady_clock::time_point time_of(const DeviceEvent& event) override {
    return runtime_->time_of(event);
  }
  void begin_range(const char* name) override { runtime_->begin_range(name); }
  void end_range() noexcept override { runtime_->end_range(); }
  void check_launch(int status, const char* kernel) const override {
    runtime_->check_launch(status, kernel);
    if (next_ == events_.size()) events_.push_back({"", runtime_->make_event()});
    events_[next_].kernel = kernel;
    runtime_->record(*events_[next_].event, runtime_->stream(kComputeStream));
    ++next_;
  }

  /// Of the device, by all calls together.
  [[nodiscard]] std::size_t allocated_bytes() const { return allocated_bytes_; }

  /// Microseconds of each kind of kernel since the last call, and how many were launched. The first launch is not
  /// counted: nothing was marked before it.
  struct Spent {
    double microseconds = 0;
    int launches = 0;
  };
  std::map<std::string, Spent> take() {
    std::map<std::string, Spent> spent;
    for (std::size_t i = 1; i < next_; ++i) {
      Spent& kind = spent[events_[i].kernel];
      kind.microseconds += 1000 * runtime_->milliseconds_between(*events_[i - 1].event, *events_[i].event);
      ++kind.launches;
    }
    next_ = 0;
    return spent;
  }

 private:
  struct Marked {
    std::string kernel;
    std::unique_ptr<DeviceEvent> event;
  };
  std::unique_ptr<DeviceRuntime> runtime_;
  bool portable_;
  std::size_t allocated_bytes_ = 0;
  mutable std::vector<Marked> events_;
  mutable std::size_t next_ = 0;
};

Precision precision_of(const std::string& name) {
  for (const Precision each :
       {Precision::kFp32, Precision::kTf32, Precision::kBf16, Precision::kFp16, Precision::kFp8}) {
    if (to_string(each) == name) return each;
  }
  throw UsageError(name + ": no such precision; expected fp32, tf32, bf16, fp16 or fp8");
}

void run(const std::vector<std::string>& arguments) {
  const Model model = load_model(arguments.at(0));
  const Precision precision = precision_of(arguments.size() > 1 ? arguments[1] : "tf32");
  const int batch = arguments.size() > 2 ? std::stoi(arguments[2]) : 1;
  const int passes = arguments.size() > 3 ? std::stoi(arguments[3]) : 30;
  const bool portable = arguments.size() > 4 && arguments[4] == "portable";
  auto timed = std::make_unique<TimedRuntime>(make_cuda_runtime(0), portable);
  TimedRuntime& runtime = *timed;
  CudaBackend backend(std::move(timed), model, precision, CudaBackend::Launching::kOneByOne);
  const std::vector<Sample> samples(static_cast<std::size_t>(batch), synthetic_sample(1));
  std::map<std::string, std::vector<double>> times;
  std::map<std::string, int> launches;
  for (int pass = -5; pass < passes; ++pass) {
    PartTimes ignored;
    static_cast<void>(backend.run(samples, ignored, nullptr));
    for (const auto& [kernel, spent] : runtime.take()) {
      if (pass < 0) continue;
      times[kernel].push_back(spent.microseconds);
      launches[kernel] = spent.launches;
    }
  }
  fmt::print("allocated\t0\t{:.1f}\n", static_cast<double>(runtime.allocated_bytes()) / 1e6);
  for (auto& [kernel, values] : times) {
    std::ranges::sort(values);
    fmt::print("{}\t{}\t{:.1f}\n", kernel, launches[kernel], values[values.size() / 2]);
  }
}

}  // namespace
}  // namespace p2mpp

int main(int argc, char** argv) {
  try {
    p2mpp::run({argv + 1, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "p2mpp_kernel_times: {}\n", error.what());
    return 1;
  }
}
