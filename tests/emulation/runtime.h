#pragma once

#include <memory>

#include "backends/cuda/device_runtime.h"
#include "backends/cuda/pass_order.h"
#include "base/machine/host.h"
#include "emulation/stream.h"

namespace p2mpp::emulation {

inline constexpr std::size_t kPlentyOfMemory = std::size_t{1} << 30U;  ///< bytes: more than a test allocates

/// Emulates a device with host memory and the emulated kernels. New memory is filled with the bytes of a NaN. Releasing
/// memory detects writes beyond its end and work still in flight, and aborts.
class Runtime : public DeviceRuntime {
 public:
  enum class Generation { kAny, kHopper };

  /// memory_bytes: the size of the device's memory.
  explicit Runtime(std::size_t memory_bytes = std::size_t{64} << 30U, Generation generation = Generation::kAny)
      : memory_bytes_(memory_bytes), free_bytes_(memory_bytes), generation_(generation) {}
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  void use() override {}
  [[nodiscard]] const CudaKernels& kernels() const override { return kernels_; }
  [[nodiscard]] std::size_t shared_bytes_per_block() const override { return kMaxSharedBytes; }
  [[nodiscard]] int multiprocessors() const override { return kMultiprocessors; }
  [[nodiscard]] std::string identity() const override { return "emulation"; }
  [[nodiscard]] bool is_hopper() const override { return generation_ == Generation::kHopper; }

  [[nodiscard]] MemoryState memory() const override { return {.total = memory_bytes_, .available = free_bytes_}; }
  [[nodiscard]] void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  [[nodiscard]] void* allocate_pinned(std::size_t bytes) override;
  void release_pinned(void* memory) noexcept override;

  void copy_to_device(void* to, const void* from, std::size_t bytes, DeviceStream stream) override;
  void copy_to_host(void* to, const void* from, std::size_t bytes, DeviceStream stream) override;
  void copy_on_device(void* to, const void* from, std::size_t bytes, DeviceStream stream) override;

  [[nodiscard]] DeviceStream stream(int index) override { return &handles_.at(static_cast<std::size_t>(index)); }
  [[nodiscard]] int priority(DeviceStream stream) const override {
    return stream == &handles_[kComputeStream] ? -1 : 0;
  }
  void wait_for(DeviceStream waiting, DeviceStream other) override;
  void wait_for(DeviceStream waiting, const DeviceEvent& event) override;
  /// Not shared: each runtime is a device of its own, unless a test overrides this.
  [[nodiscard]] PassOrder& pass_order() override { return pass_order_; }
  void synchronize(DeviceStream stream) override;

  void begin_recording() override;
  [[nodiscard]] std::unique_ptr<DeviceGraph> end_recording() override;
  void launch(const DeviceGraph& graph, DeviceStream stream) override;

  [[nodiscard]] std::unique_ptr<DeviceEvent> make_event() override;
  void record(DeviceEvent& event, DeviceStream stream) override;
  void wait(const DeviceEvent& event) override;
  [[nodiscard]] double milliseconds_between(const DeviceEvent& begin, const DeviceEvent& end) override;
  [[nodiscard]] std::chrono::steady_clock::time_point time_of(const DeviceEvent& event) override;

  void begin_range(const char* /*name*/) override {}
  void end_range() noexcept override {}

  void check_launch(int status, const char* kernel) const override;

 private:
  void check_idle() noexcept;

  CudaKernels kernels_ = all_kernels();
  PassOrder pass_order_;
  std::shared_ptr<Streams> streams_ = std::make_shared<Streams>();  // shared because an event may outlive the runtime
  std::array<Stream, kStreamCount> handles_ = {{{streams_.get(), kComputeStream},
                                                {streams_.get(), kBesideStream},
                                                {streams_.get(), kCopyInStream},
                                                {streams_.get(), kCopyOutStream}}};
  std::size_t memory_bytes_;
  std::size_t free_bytes_;
  Generation generation_;
};

}  // namespace p2mpp::emulation
