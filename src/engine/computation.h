#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "backends/backend.h"
#include "p2mpp/engine.h"

namespace p2mpp {

/// A backend and the device that it computes on.
struct Computation {
  DeviceChoice choice;
  Precision precision = Precision::kFp32;
  InstructionSet instruction_set = InstructionSet::kPortable;  ///< of the CPU
  std::string_view backend_name;
  std::unique_ptr<Backend> backend;
};

/// The functions that find devices and create backends. Tests replace them.
struct ComputationSources {
  std::function<DeviceChoice(std::string_view text)> choose_device;
  std::function<void(std::string_view backend, Device device)> check;  ///< see check_backend()
  std::function<std::unique_ptr<Backend>(std::string_view backend, const BackendOptions& options)> make;
};
[[nodiscard]] ComputationSources sources_for(const Model& model);

/// Creates the first backend that the options allow and that works on this machine. If a backend is unavailable, the
/// next one is tried; device "auto" finally falls back to the CPU. The reasons are in the choice's note. There is no
/// fallback for a backend that was requested by name and computes wrong results: SelfCheckFailed is thrown. Throws what
/// choose_device() and make_backend() throw, and UsageError if no backend supports the options.
[[nodiscard]] Computation start_computation(const EngineOptions& options, int threads,
                                            const ComputationSources& sources);

}  // namespace p2mpp
