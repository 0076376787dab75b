#pragma once

#include <memory>

#include "backend/backend.h"

namespace p2mpp {

/// The reference: runs the TorchScript modules' own methods, on a CPU or a CUDA device.
[[nodiscard]] std::unique_ptr<Backend> make_torchscript_backend(const Model& model, const BackendOptions& options);

/// fp32 everywhere, tf32 on CUDA.
[[nodiscard]] bool torchscript_computes(Device device, Precision precision);

}  // namespace p2mpp
