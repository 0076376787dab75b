#pragma once

#include <memory>

#include "backends/backend.h"

namespace p2mpp {

/// True for fp32, bf16 and bf16x3.
[[nodiscard]] bool cpu_backend_computes(Precision precision);

/// The `fused` backend on a CPU, which runs our own kernels on the model's weights, one sample at a time. The bytes of
/// a result depend neither on the batch nor on the number of threads. Throws InputError naming the file if the weights
/// do not belong to the model.
[[nodiscard]] std::unique_ptr<Backend> make_cpu_backend(const Model& model, const BackendOptions& options);

}  // namespace p2mpp
