#pragma once

#include <memory>
#include <string>

#include "backends/companion_interfaces.h"

namespace p2mpp {

// What the layers above may ask of LibTorch. It is loaded when first needed (libp2mpp_torchscript.so, beside the
// program or in its build folder): a prediction with the fused backend does without, and starts a quarter of a second
// sooner.

/// "2.11.0", the version of the LibTorch that this program was built with, or "none". Loads nothing.
[[nodiscard]] std::string libtorch_version_text();

/// Why LibTorch cannot compute on a device (one clause), or nothing if it can. Loads LibTorch, for a CUDA device with
/// its CUDA side, once a process, and lets that device compute a number.
[[nodiscard]] std::string torchscript_problem(Device device);

/// The reference: runs the TorchScript modules' own methods, on a CPU or a CUDA device. Throws Error where LibTorch
/// cannot be loaded, and what make_backend() throws.
[[nodiscard]] std::unique_ptr<Backend> make_torchscript_backend(const Model& model, const BackendOptions& options);

/// fp32 everywhere, tf32 on CUDA.
[[nodiscard]] bool torchscript_computes(Device device, Precision precision);

/// How fast this CPU multiplies matrices (backends/torchscript/gemm_rate.h). NaN where LibTorch cannot be loaded, too.
[[nodiscard]] double packed_gemm_gflops(Precision precision, int threads);

}  // namespace p2mpp
