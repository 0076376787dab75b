#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "backends/cuda/kernels.h"
#include "p2mpp/device.h"
#include "p2mpp/error.h"

namespace p2mpp {

/// There is not enough memory on the device.
class OutOfDeviceMemory : public Error {
 public:
  using Error::Error;
};

class PassOrder;

/// Work that was recorded once and is launched as a whole.
class DeviceGraph {
 public:
  virtual ~DeviceGraph() = default;
};

/// A point in a stream.
class DeviceEvent {
 public:
  virtual ~DeviceEvent() = default;
};

/// What the streams are for: kernels; kernels beside those; copies to the device; copies to the host.
inline constexpr int kComputeStream = 0, kBesideStream = 1, kCopyInStream = 2, kCopyOutStream = 3;
inline constexpr int kStreamCount = 4;

/// A device with memory, streams and kernels: one CUDA device, or the emulation. One thread at a time. Everything is
/// checked; what fails throws Error with one line that names the call.
class DeviceRuntime {
 public:
  virtual ~DeviceRuntime() = default;

  /// Before anything else, on the thread that goes on.
  virtual void use() = 0;
  [[nodiscard]] virtual const CudaKernels& kernels() const = 0;
  [[nodiscard]] virtual std::size_t shared_bytes_per_block() const = 0;
  /// Blocks of threads that surely run at the same time, one on each multiprocessor; 0 where other processes may take
  /// some of them.
  [[nodiscard]] virtual int multiprocessors() const = 0;
  /// The device and its driver, a line each: what changes where either does.
  [[nodiscard]] virtual std::string identity() const = 0;
  /// Whether it runs the kernels that are compiled for sm_90a.
  [[nodiscard]] virtual bool is_hopper() const = 0;

  /// Of the whole device, whoever uses it.
  [[nodiscard]] virtual MemoryState memory() const = 0;
  /// Throws OutOfDeviceMemory.
  [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  /// Of the host, in pages that stay where they are.
  [[nodiscard]] virtual void* allocate_pinned(std::size_t bytes) = 0;
  virtual void release_pinned(void* memory) noexcept = 0;

  virtual void copy_to_device(void* to, const void* from, std::size_t bytes, DeviceStream stream) = 0;
  virtual void copy_to_host(void* to, const void* from, std::size_t bytes, DeviceStream stream) = 0;
  virtual void copy_on_device(void* to, const void* from, std::size_t bytes, DeviceStream stream) = 0;

  /// Work of one runs beside that of another, but for what wait_for() says.
  [[nodiscard]] virtual DeviceStream stream(int index) = 0;
  /// Where kernels of two streams wait for room on the device, those of the lower number are let in first. That is the
  /// compute stream's, in a recording, too: the blocks of threads of joined layers need room all at the same time.
  [[nodiscard]] virtual int priority(DeviceStream stream) const = 0;
  /// What is queued in `waiting` from now on comes after what is queued in `other` until now.
  virtual void wait_for(DeviceStream waiting, DeviceStream other) = 0;
  /// The same with what came before a event when it was last recorded, of this or another runtime of the same device.
  virtual void wait_for(DeviceStream waiting, const DeviceEvent& event) = 0;
  /// Of all runtimes of the same device in this process.
  [[nodiscard]] virtual PassOrder& pass_order() = 0;
  /// The host waits for all that is queued in a stream.
  virtual void synchronize(DeviceStream stream) = 0;

  /// Between these, what is queued in the compute stream, and in another from where it waits for that one until that
  /// one waits for it, is recorded and not done.
  virtual void begin_recording() = 0;
  [[nodiscard]] virtual std::unique_ptr<DeviceGraph> end_recording() = 0;
  virtual void launch(const DeviceGraph& graph, DeviceStream stream) = 0;

  [[nodiscard]] virtual std::unique_ptr<DeviceEvent> make_event() = 0;
  virtual void record(DeviceEvent& event, DeviceStream stream) = 0;
  /// The host waits until the device has passed it.
  virtual void wait(const DeviceEvent& event) = 0;
  /// Between two marks that the device has passed.
  [[nodiscard]] virtual double milliseconds_between(const DeviceEvent& begin, const DeviceEvent& end) = 0;
  /// When the device passed a event, on the host's clock. The host may have to ask the device what time it is.
  [[nodiscard]] virtual std::chrono::steady_clock::time_point time_of(const DeviceEvent& event) = 0;

  /// What the host does between these has a name in a profiler's timeline. Ranges nest.
  virtual void begin_range(const char* name) = 0;
  virtual void end_range() noexcept = 0;

  /// Throws Error for what a launch gave, unless it is 0.
  virtual void check_launch(int status, const char* kernel) const = 0;
};

/// A range for as long as it lives.
class DeviceRange {
 public:
  DeviceRange(DeviceRuntime& runtime, const char* name) : runtime_(runtime) { runtime_.begin_range(name); }
  DeviceRange(const DeviceRange&) = delete;
  DeviceRange& operator=(const DeviceRange&) = delete;
  ~DeviceRange() { runtime_.end_range(); }

 private:
  DeviceRuntime& runtime_;
};

}  // namespace p2mpp
