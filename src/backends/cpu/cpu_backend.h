#pragma once

#include <memory>

#include "backends/backend.h"

namespace p2mpp {

/// fp32 and bf16.
[[nodiscard]] bool cpu_backend_computes(Precision precision);

/// Our own operations on the weights of the model's files, one sample after the other. The bytes of a result depend
/// neither on the batch nor on the threads. Throws InputError naming the file for weights that are not the model's.
[[nodiscard]] std::unique_ptr<Backend> make_cpu_backend(const Model& model, const BackendOptions& options);

}  // namespace p2mpp
