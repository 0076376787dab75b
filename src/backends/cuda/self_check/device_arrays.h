#pragma once

#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "backends/cuda/device_memory.h"
#include "backends/cuda/numbers.h"
#include "backends/self_check/drawn_operations.h"

namespace p2mpp {

/// Arrays of a problem on a device; they live as long as this object. All copies use the compute stream.
class DeviceArrays {
 public:
  explicit DeviceArrays(DeviceRuntime& runtime) : runtime_(&runtime) {}

  [[nodiscard]] DeviceRuntime& runtime() const { return *runtime_; }
  [[nodiscard]] const CudaKernels& kernels() const { return runtime_->kernels(); }
  [[nodiscard]] DeviceStream stream() const { return runtime_->stream(kComputeStream); }

  /// Returns null for an empty array.
  template <class T>
  [[nodiscard]] T* upload(const std::vector<T>& values) {
    if (values.empty()) return nullptr;
    const DeviceBlock& block = blocks_.emplace_back(*runtime_, values.size() * sizeof(T));
    runtime_->copy_to_device(block.data(), values.data(), values.size() * sizeof(T), stream());
    runtime_->synchronize(stream());
    return reinterpret_cast<T*>(block.data());
  }

  /// An array for a kernel's output, initialised with NaN.
  [[nodiscard]] float* make(std::size_t count);

  [[nodiscard]] std::vector<float> download(const float* from, std::size_t count) const;

  /// Calls `queue`, which queues a cooperative launch, in the order of all passes on the device (PassOrder), and waits
  /// for it.
  void run_in_order(const std::function<void()>& queue) const;

  /// Throws Error if the status of a launch is not 0.
  void check_launch(int status, const char* kernel) const { runtime_->check_launch(status, kernel); }

 private:
  DeviceRuntime* runtime_;
  std::deque<DeviceBlock> blocks_;
};

/// An array in the element type of an arithmetic's kernels. For fp8 the type is bf16.
class OperandArray {
 public:
  OperandArray(DeviceArrays& arrays, Arithmetic arithmetic, const std::vector<float>& values);

  [[nodiscard]] void* data() const { return words_; }
  [[nodiscard]] std::vector<float> download() const;

 private:
  [[nodiscard]] bool is_half() const { return element_bytes(arithmetic_) == 2; }

  const DeviceArrays* arrays_;
  Arithmetic arithmetic_;
  std::size_t count_;
  float* words_;  // may hold two elements per float
};

/// The rounding of an operand stored in memory, and of a weight.
[[nodiscard]] Rounding rounding_in_memory(Arithmetic arithmetic);

/// Copies rows of `from` floats into rows of `to` floats, zero-padded.
[[nodiscard]] std::vector<float> padded_rows(std::span<const float> values, std::size_t from, std::size_t to);
/// The inverse of padded_rows().
[[nodiscard]] std::vector<float> without_padding(std::span<const float> values, std::size_t padded_width,
                                                 std::size_t width);

}  // namespace p2mpp
