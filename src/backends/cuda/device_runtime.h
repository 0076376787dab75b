#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "backends/cuda/kernels.h"
#include "base/machine/host.h"
#include "p2mpp/device.h"
#include "p2mpp/error.h"

namespace p2mpp {

/// The device is out of memory.
class OutOfDeviceMemory : public Error {
 public:
  using Error::Error;
};

class PassOrder;

/// A recorded CUDA graph.
class DeviceGraph {
 public:
  virtual ~DeviceGraph() = default;
};

/// A CUDA event: a point in a stream.
class DeviceEvent {
 public:
  virtual ~DeviceEvent() = default;
};

/// The streams: compute, concurrent compute, copies to the device, copies to the host.
inline constexpr int kComputeStream = 0, kBesideStream = 1, kCopyInStream = 2, kCopyOutStream = 3;
inline constexpr int kStreamCount = 4;

/// A device with memory, streams and kernels: a CUDA device or the emulation. Not thread-safe. Every call is checked: a
/// failure throws Error with one line that names the call.
class DeviceRuntime {
 public:
  virtual ~DeviceRuntime() = default;

  /// Makes the device current for the calling thread. Must precede all other calls on that thread.
  virtual void use() = 0;
  [[nodiscard]] virtual const CudaKernels& kernels() const = 0;
  [[nodiscard]] virtual std::size_t shared_bytes_per_block() const = 0;
  /// Number of thread blocks that are guaranteed to be resident at the same time, one per multiprocessor. 0 if other
  /// processes may occupy multiprocessors.
  [[nodiscard]] virtual int multiprocessors() const = 0;
  /// Identifies the device and its driver, one line each.
  [[nodiscard]] virtual std::string identity() const = 0;
  /// Whether the device runs kernels compiled for sm_90a.
  [[nodiscard]] virtual bool is_hopper() const = 0;

  /// Memory of the whole device, including other processes.
  [[nodiscard]] virtual MemoryState memory() const = 0;
  /// Throws OutOfDeviceMemory.
  [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  /// Pinned host memory.
  [[nodiscard]] virtual void* allocate_pinned(std::size_t bytes) = 0;
  virtual void release_pinned(void* memory) noexcept = 0;

  virtual void copy_to_device(void* to, const void* from, std::size_t bytes, DeviceStream stream) = 0;
  virtual void copy_to_host(void* to, const void* from, std::size_t bytes, DeviceStream stream) = 0;
  virtual void copy_on_device(void* to, const void* from, std::size_t bytes, DeviceStream stream) = 0;

  /// Streams run concurrently, except where wait_for() orders them.
  [[nodiscard]] virtual DeviceStream stream(int index) = 0;
  /// When kernels of two streams compete for the device, those of the stream with the lower number start first. The
  /// compute stream has the lowest number, also inside a graph, because all thread blocks of joined layers must be
  /// resident at the same time.
  [[nodiscard]] virtual int priority(DeviceStream stream) const = 0;
  /// Work queued in `waiting` from now on runs after the work queued in `other` so far.
  virtual void wait_for(DeviceStream waiting, DeviceStream other) = 0;
  /// The same for the work that precedes the last recording of an event. The event may belong to another runtime of the
  /// same device.
  virtual void wait_for(DeviceStream waiting, const DeviceEvent& event) = 0;
  /// Shared by all runtimes of the same device in this process.
  [[nodiscard]] virtual PassOrder& pass_order() = 0;
  /// Blocks the host until all work queued in a stream is done.
  virtual void synchronize(DeviceStream stream) = 0;

  /// Work that is queued in the compute stream between begin_recording() and end_recording() is recorded instead of
  /// executed. Another stream joins the recording when it waits for the compute stream, and leaves it when the compute
  /// stream waits for it.
  virtual void begin_recording() = 0;
  [[nodiscard]] virtual std::unique_ptr<DeviceGraph> end_recording() = 0;
  virtual void launch(const DeviceGraph& graph, DeviceStream stream) = 0;

  [[nodiscard]] virtual std::unique_ptr<DeviceEvent> make_event() = 0;
  virtual void record(DeviceEvent& event, DeviceStream stream) = 0;
  /// Blocks the host until the device has passed the event.
  virtual void wait(const DeviceEvent& event) = 0;
  /// Precondition: the device has passed both events.
  [[nodiscard]] virtual double milliseconds_between(const DeviceEvent& begin, const DeviceEvent& end) = 0;
  /// When the device passed the event, on the host's clock. May synchronise with the device to compare the clocks.
  [[nodiscard]] virtual std::chrono::steady_clock::time_point time_of(const DeviceEvent& event) = 0;

  /// Names the host's work between the two calls in a profiler's timeline. Ranges nest.
  virtual void begin_range(const char* name) = 0;
  virtual void end_range() noexcept = 0;

  /// Throws Error if the status of a launch is not 0.
  virtual void check_launch(int status, const char* kernel) const = 0;
};

/// A range in the profiler's timeline that ends with the object's lifetime.
class DeviceRange {
 public:
  DeviceRange(DeviceRuntime& runtime, const char* name) : runtime_(runtime) { runtime_.begin_range(name); }
  DeviceRange(const DeviceRange&) = delete;
  DeviceRange& operator=(const DeviceRange&) = delete;
  ~DeviceRange() { runtime_.end_range(); }

 private:
  DeviceRuntime& runtime_;
};

/// Throws Error (one clause) if the kernels cannot run on a device. Checks that the driver and the GPU are new enough,
/// then runs a kernel and checks its result.
void check_cuda_runtime(int device_index);

/// A device through the CUDA runtime API. Throws Error if a CUDA call fails.
[[nodiscard]] std::unique_ptr<DeviceRuntime> make_cuda_runtime(int device_index);

}  // namespace p2mpp
