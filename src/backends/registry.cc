#include "backends/registry.h"

#include <algorithm>
#include <array>

#include "backends/companion_library.h"
#include "backends/cpu/cpu_backend.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

// `fused` runs our own kernels on the model's weights. The bytes of a sample's result depend neither on the batch nor
// on the number of threads: a CPU computes one sample at a time, CUDA a whole batch.
bool fused_computes(Device device, Precision precision) {
  if (device.kind == DeviceKind::kCpu) return cpu_backend_computes(precision);
  return precision != Precision::kBf16x3;  // tf32 is as exact, and faster there
}

std::unique_ptr<Backend> make_fused_backend(const Model& model, const BackendOptions& options) {
  return options.device.kind == DeviceKind::kCuda ? make_cuda_backend(model, options)
                                                  : make_cpu_backend(model, options);
}

std::unique_ptr<DistanceNetwork> make_fused_distance_network(const Model& model, const BackendOptions& options) {
  return make_cpu_distance_network(model, options.instruction_set, options.threads);
}

struct RegisteredBackend {
  std::string_view name;
  bool (*computes)(Device, Precision);
  std::unique_ptr<Backend> (*make)(const Model&, const BackendOptions&);
  std::unique_ptr<DistanceNetwork> (*make_distances)(const Model&, const BackendOptions&);
  void (*check)(Device);
};

// To add a backend, add a row. "auto" takes the first one that supports the requested device and precision.
constexpr std::array kBackends = {
    RegisteredBackend{"fused", fused_computes, make_fused_backend, make_fused_distance_network,
                      [](Device device) {
                        if (device.kind == DeviceKind::kCuda) check_cuda_device(device.index);
                      }},
    RegisteredBackend{"torchscript", torchscript_computes, make_torchscript_backend, make_torchscript_distance_network,
                      check_libtorch}};

constexpr auto kNames = [] {
  std::array<std::string_view, kBackends.size()> names;
  for (std::size_t i = 0; i < kBackends.size(); ++i) names[i] = kBackends[i].name;
  return names;
}();

const RegisteredBackend* find_backend(std::string_view name) {
  const auto* found = std::ranges::find(kBackends, name, &RegisteredBackend::name);
  return found == kBackends.end() ? nullptr : found;
}

const RegisteredBackend& backend_named(std::string_view name) {
  const RegisteredBackend* backend = find_backend(name);
  if (backend == nullptr) throw UsageError("backend " + std::string(name) + ": no such backend");
  return *backend;
}

}  // namespace

std::span<const std::string_view> registered_backends() { return kNames; }

std::unique_ptr<Backend> make_backend(std::string_view name, const Model& model, const BackendOptions& options) {
  return backend_named(name).make(model, options);
}

std::unique_ptr<DistanceNetwork> make_distance_network(std::string_view name, const Model& model,
                                                       const BackendOptions& options) {
  return backend_named(name).make_distances(model, options);
}

bool backend_computes(std::string_view name, Device device, Precision precision) {
  const RegisteredBackend* backend = find_backend(name);
  return backend != nullptr && backend->computes(device, precision);
}

void check_backend(std::string_view name, Device device) {
  if (const RegisteredBackend* backend = find_backend(name); backend != nullptr) backend->check(device);
}

void check_backends(Device device) {
  std::string reasons;
  for (const RegisteredBackend& backend : kBackends) {
    try {
      return backend.check(device);
    } catch (const Error& error) {
      reasons += (reasons.empty() ? "" : "; ") + std::string(error.what());
    }
  }
  throw Error(reasons);
}

}  // namespace p2mpp
