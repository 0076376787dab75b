#pragma once

#include <memory>

#include "backends/backend.h"
#include "backends/distance_network.h"
#include "model/model.h"
#include "p2mpp/instruction_set.h"

namespace p2mpp {

/// True for fp32, bf16 and bf16x3.
[[nodiscard]] bool cpu_backend_computes(Precision precision);

/// The `fused` backend on a CPU, which runs our own kernels on the model's weights, one sample at a time. The bytes of
/// a result depend neither on the batch nor on the number of threads. Throws InputError naming the file if the weights
/// do not belong to the model.
[[nodiscard]] std::unique_ptr<Backend> make_cpu_backend(const Model& model, const BackendOptions& options);

/// The distance network with our own kernels, in fp32. The bytes of a result do not depend on the number of threads.
/// Precondition: the model has a volume.pt, and this machine supports the instruction set. Throws InputError naming the
/// file if its weights do not fit each other.
[[nodiscard]] std::unique_ptr<DistanceNetwork> make_cpu_distance_network(const Model& model, InstructionSet set,
                                                                         int threads);

}  // namespace p2mpp
