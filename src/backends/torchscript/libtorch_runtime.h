#pragma once

#include <c10/core/Device.h>

#include <exception>
#include <string>

#include "backends/backend.h"

namespace p2mpp::torchscript {

/// Readies LibTorch for a device: loads its CUDA side where that is needed, and makes its settings. Throws Error where
/// the CUDA side cannot be used.
[[nodiscard]] c10::Device ready_libtorch(const BackendOptions& options);

/// The settings of this process's LibTorch for a device and a precision: modules run as they are written, on so many
/// threads; on CUDA, cuDNN measures which of its algorithms is fastest for each shape, and TF32 is on in tf32 alone.
/// Needs no device.
void set_up_libtorch(const BackendOptions& options);

/// Why LibTorch cannot compute on a CUDA device (one clause), or nothing where it can. Loads its CUDA side: this
/// library links the CPU side alone, so that it starts fast.
[[nodiscard]] std::string cuda_problem(int device_index);

/// "2.11.0"
[[nodiscard]] std::string version_text();

/// The first line of a LibTorch exception, without its C++ backtrace and TorchScript traceback.
[[nodiscard]] std::string short_message(const std::exception& error);

}  // namespace p2mpp::torchscript
