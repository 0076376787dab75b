#pragma once

#include <memory>

#include "backends/backend.h"

namespace p2mpp::torchscript {

/// See make_torchscript_backend() in backends/companion_library.h.
[[nodiscard]] std::unique_ptr<Backend> make_backend(const Model& model, const BackendOptions& options);

}  // namespace p2mpp::torchscript
