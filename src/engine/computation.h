#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "backends/backend.h"
#include "p2mpp/device.h"
#include "p2mpp/engine.h"
#include "p2mpp/metrics.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// Throws InputError (one clause) unless a sample can be computed: numbers of views, cameras, images, frames, and, if
/// there is an initial mesh, check_initial_mesh() and a view that shows a vertex of it.
void check_computable(const Sample& sample);

/// Throws InputError (one clause that follows the mesh's name) unless stage 2 can begin from a mesh: it has as many
/// vertices as are allowed, all finite, and no triangle names a missing vertex or a vertex twice. Counts from 1.
void check_initial_mesh(const TriangleMesh& mesh);

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

/// GFLOP/s of LibTorch's fastest matrix product on the engine's CPU, with its precision and threads; NaN on a GPU or if
/// LibTorch cannot be loaded. Takes a few seconds.
[[nodiscard]] double measure_gemm_gflops(const Engine& engine);

/// The nearest-neighbour search for scoring on a device: p2mpp's CUDA kernels on a GPU. Empty on a CPU, which selects
/// the search of metrics.h. Throws Error if the kernels cannot be used.
[[nodiscard]] NeighbourFinder neighbour_finder(Device device);

}  // namespace p2mpp
