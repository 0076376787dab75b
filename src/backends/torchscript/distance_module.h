#pragma once

#include <memory>

#include "backends/backend.h"
#include "backends/distance_network.h"

namespace p2mpp::torchscript {

/// See make_torchscript_distance_network() in backends/companion_library.h.
[[nodiscard]] std::unique_ptr<DistanceNetwork> make_distance_network(const Model& model, const BackendOptions& options);

}  // namespace p2mpp::torchscript
