#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "backends/backend.h"
#include "backends/distance_network.h"

namespace p2mpp {

/// Creates a backend for a model. The model's archives may be released afterwards. Precondition: backend_computes().
/// Throws InputError naming the file if the weights do not belong to the model, UsageError for an unknown name.
[[nodiscard]] std::unique_ptr<Backend> make_backend(std::string_view name, const Model& model,
                                                    const BackendOptions& options);

/// The distance network of a model with that backend. `fused` has no CUDA kernels for it yet and computes it on the
/// CPU. Precondition: has_distance_network(). Throws as make_backend().
[[nodiscard]] std::unique_ptr<DistanceNetwork> make_distance_network(std::string_view name, const Model& model,
                                                                     const BackendOptions& options);

/// Whether a backend supports this precision on this kind of device; false for an unknown name.
[[nodiscard]] bool backend_computes(std::string_view name, Device device, Precision precision);

/// Throws Error (one clause) if a backend cannot run on this machine's device. Loads the libraries it needs to find
/// out. Precondition: choose_device() returned `device`.
void check_backend(std::string_view name, Device device);

/// The same for all backends: throws Error if none can run on the device.
void check_backends(Device device);

/// The names that make_backend() accepts, in order of preference.
[[nodiscard]] std::span<const std::string_view> registered_backends();

}  // namespace p2mpp
