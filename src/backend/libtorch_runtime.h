#pragma once

#include <c10/core/Device.h>

#include <exception>
#include <string>

#include "backend/backend.h"

namespace p2mpp {

/// Readies LibTorch for a device: loads its CUDA side where that is needed, sets threads, cuDNN's
/// benchmark mode and TF32. Throws Error where the CUDA side cannot be used.
[[nodiscard]] c10::Device ready_libtorch(const BackendOptions& options);

/// The first line of a LibTorch exception, without its C++ backtrace and TorchScript traceback.
[[nodiscard]] std::string short_message(const std::exception& error);

}  // namespace p2mpp
