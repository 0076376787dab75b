#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "backends/backend.h"

namespace p2mpp {

/// Makes a backend out of a model; the model's archives may be released afterwards. Expects backend_computes().
/// Throws InputError naming the file for weights that are not the model's, UsageError for an unknown name.
[[nodiscard]] std::unique_ptr<Backend> make_backend(std::string_view name, const Model& model,
                                                    const BackendOptions& options);

/// Whether a backend has kernels of this precision for this kind of device; false for an unknown name.
[[nodiscard]] bool backend_computes(std::string_view name, Device device, Precision precision);

/// Why a backend that computes on such a device cannot do so here (one clause), or nothing where it can. Loads what it
/// needs for the answer. Expects a device that choose_device() gave.
[[nodiscard]] std::string backend_problem(std::string_view name, Device device);

/// Why no backend computes on a device here, or nothing where one does. Otherwise as backend_problem().
[[nodiscard]] std::string device_problem(Device device);

/// The names that make_backend() knows, the preferred ones first.
[[nodiscard]] std::span<const std::string_view> registered_backends();

}  // namespace p2mpp
