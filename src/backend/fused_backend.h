#pragma once

#include <memory>

#include "backend/backend.h"

namespace p2mpp {

/// The fast one: our own operations on the weights of the same files. On a CPU, so far.
[[nodiscard]] std::unique_ptr<Backend> make_fused_backend(const Model& model, const BackendOptions& options);

}  // namespace p2mpp
