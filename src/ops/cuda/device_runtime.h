#pragma once

#include <cstddef>
#include <memory>

#include "ops/cuda/kernels.h"
#include "p2mpp/device.h"
#include "p2mpp/error.h"

namespace p2mpp {

/// There is not enough memory on the device.
class OutOfDeviceMemory : public Error {
 public:
  using Error::Error;
};

/// Work that was recorded once and is launched as a whole.
class DeviceGraph {
 public:
  virtual ~DeviceGraph() = default;
};

/// A moment in a stream.
class DeviceMark {
 public:
  virtual ~DeviceMark() = default;
};

/// A device with memory, streams and kernels: one CUDA device, or the emulation. One thread at a time. Everything is
/// checked; what fails throws Error with one line that names the call.
class DeviceRuntime {
 public:
  virtual ~DeviceRuntime() = default;

  /// Before anything else, on the thread that goes on.
  virtual void use() = 0;
  [[nodiscard]] virtual const CudaKernels& kernels() const = 0;
  [[nodiscard]] virtual std::size_t shared_bytes_per_block() const = 0;

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

  /// Two streams: work of the second runs beside that of the first.
  [[nodiscard]] virtual DeviceStream stream(int index) = 0;
  /// What is queued in `waiting` from now on comes after what is queued in `other` until now.
  virtual void wait_for(DeviceStream waiting, DeviceStream other) = 0;
  virtual void synchronize(DeviceStream stream) = 0;

  /// Between these, what is queued in the first stream, and in the second from where it waits for the first until the
  /// first waits for it, is recorded and not done.
  virtual void begin_recording() = 0;
  [[nodiscard]] virtual std::unique_ptr<DeviceGraph> end_recording() = 0;
  virtual void launch(const DeviceGraph& graph, DeviceStream stream) = 0;

  [[nodiscard]] virtual std::unique_ptr<DeviceMark> make_mark() = 0;
  virtual void record(DeviceMark& mark, DeviceStream stream) = 0;
  /// Between two marks that the device has passed.
  [[nodiscard]] virtual double milliseconds_between(const DeviceMark& begin, const DeviceMark& end) = 0;

  /// Throws Error for what a launch gave, unless it is 0.
  virtual void check_launch(int status, const char* kernel) const = 0;
};

}  // namespace p2mpp
