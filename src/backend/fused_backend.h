#pragma once

#include <memory>

#include "backend/backend.h"

namespace p2mpp {

/// fp32 and bf16 on a CPU, every precision on CUDA.
[[nodiscard]] bool fused_computes(Device device, Precision precision);

/// The fast one: our own operations on the weights of the same files. The bytes of a sample's result depend neither on
/// the batch nor on the threads: a CPU computes one sample after the other, CUDA a batch together.
[[nodiscard]] std::unique_ptr<Backend> make_fused_backend(const Model& model, const BackendOptions& options);

}  // namespace p2mpp
