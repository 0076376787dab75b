#pragma once

#include <string>

namespace p2mpp {

// What the layers above may ask of LibTorch without including its headers.

/// "2.11.0": of the LibTorch that this program was built with.
[[nodiscard]] std::string libtorch_version_text();

/// Loads LibTorch's CUDA side, once a process: the executable links the CPU side alone, so that it
/// starts fast. Gives one clause on why it cannot be used, or nothing where it can.
[[nodiscard]] const std::string& load_libtorch_cuda();

}  // namespace p2mpp
