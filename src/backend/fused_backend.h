#pragma once

#include <memory>

#include "backend/backend.h"

namespace p2mpp {

/// fp32 and bf16 on a CPU.
[[nodiscard]] bool fused_computes(Device device, Precision precision);

/// The fast one: our own operations on the weights of the same files. Samples of a batch are computed one
/// by one: their bytes do not depend on the batch, nor on the threads.
[[nodiscard]] std::unique_ptr<Backend> make_fused_backend(const Model& model, const BackendOptions& options);

}  // namespace p2mpp
