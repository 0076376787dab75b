#pragma once

#include <c10/core/Device.h>

#include <exception>
#include <string>

#include "backends/backend.h"

namespace p2mpp::torchscript {

/// Readies LibTorch for a device: loads its CUDA side where that is needed, sets threads, cuDNN's
/// benchmark mode and TF32. Throws Error where the CUDA side cannot be used.
[[nodiscard]] c10::Device ready_libtorch(const BackendOptions& options);

/// Loads LibTorch's CUDA side, once a process: this library links the CPU side alone, so that it starts fast. Gives one
/// clause on why it cannot be used, or nothing where it can.
[[nodiscard]] const std::string& load_cuda();

/// "2.11.0"
[[nodiscard]] std::string version_text();

/// The first line of a LibTorch exception, without its C++ backtrace and TorchScript traceback.
[[nodiscard]] std::string short_message(const std::exception& error);

}  // namespace p2mpp::torchscript
