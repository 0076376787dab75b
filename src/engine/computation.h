#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "backends/backend.h"
#include "p2mpp/engine.h"

namespace p2mpp {

/// What computes, and where.
struct Computation {
  DeviceChoice choice;
  Precision precision = Precision::kFp32;
  std::string_view backend_name;
  std::unique_ptr<Backend> backend;
};

/// What is asked of devices and backends: the machine's, or those of a test.
struct ComputationSources {
  std::function<DeviceChoice(std::string_view text)> choose_device;
  std::function<std::string(std::string_view backend, Device device)> problem;  ///< see backend_problem()
  std::function<std::unique_ptr<Backend>(std::string_view backend, const BackendOptions& options)> make;
};
[[nodiscard]] ComputationSources sources_for(const Model& model);

/// The first backend that the options admit and that works here. A device may turn out not to: then the next backend
/// computes, and at last, where the device is "auto", the CPU; the choice's note says why. A device that computes
/// something else than it should is no better for a backend that was asked for by name: that throws. Throws what
/// choose_device() and make_backend() throw, UsageError for what nothing here computes.
[[nodiscard]] Computation start_computation(const EngineOptions& options, int threads, InstructionSet instructions,
                                            const ComputationSources& sources);

}  // namespace p2mpp
