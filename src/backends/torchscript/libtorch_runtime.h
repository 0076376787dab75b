#pragma once

#include <c10/core/Device.h>

#include <exception>
#include <string>
#include <vector>

#include "backends/backend.h"

namespace at {
class Tensor;
}

namespace p2mpp::torchscript {

/// Prepares LibTorch for a device: loads its CUDA libraries if needed and applies set_up_libtorch(). Throws Error if
/// the CUDA libraries cannot be used.
[[nodiscard]] c10::Device prepare_libtorch(const BackendOptions& options);

/// Configures LibTorch for a device and a precision, for the whole process. A backend calls this before each batch,
/// because another backend may have set another precision. Modules run unoptimised, on options.threads threads. On
/// CUDA, cuDNN benchmarks its algorithms for each shape, and TF32 is enabled only in tf32. Needs no device.
void set_up_libtorch(const BackendOptions& options);

/// Throws Error (one clause) if LibTorch cannot compute on a CUDA device. Loads LibTorch's CUDA libraries; this library
/// links only the CPU ones so that it starts fast. Thread-safe.
void check_cuda(int device_index);

/// The version of LibTorch, such as "2.11.0".
[[nodiscard]] std::string version_text();

/// A tensor of any device and type, as numbers.
[[nodiscard]] std::vector<float> to_floats(const at::Tensor& tensor);

/// The first line of a LibTorch exception, without its C++ backtrace and TorchScript traceback.
[[nodiscard]] std::string short_message(const std::exception& error);

}  // namespace p2mpp::torchscript
