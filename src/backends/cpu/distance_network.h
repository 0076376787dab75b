#pragma once

#include <memory>

#include "backends/distance_network.h"
#include "model/model.h"
#include "p2mpp/instruction_set.h"

namespace p2mpp {

/// The distance network with our own kernels, in fp32. The bytes of a result do not depend on the number of threads.
/// Precondition: the model has a volume.pt, and this machine supports the instruction set. Throws InputError naming the
/// file if its weights do not fit each other.
[[nodiscard]] std::unique_ptr<DistanceNetwork> make_cpu_distance_network(const Model& model, InstructionSet set,
                                                                         int threads);

}  // namespace p2mpp
