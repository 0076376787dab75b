#include "backends/registry.h"

#include <algorithm>
#include <array>

#include "backends/cpu/cpu_backend.h"
#include "backends/cuda_library.h"
#include "backends/libtorch.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

// `fused` runs our own kernels on the model's weights. The bytes of a sample's result depend neither on the batch nor
// on the number of threads: a CPU computes one sample at a time, CUDA a whole batch.
bool fused_computes(Device device, Precision precision) {
  return device.kind == DeviceKind::kCuda || cpu_backend_computes(precision);
}

std::unique_ptr<Backend> make_fused_backend(const Model& model, const BackendOptions& options) {
  return options.device.kind == DeviceKind::kCuda ? make_cuda_backend(model, options)
                                                  : make_cpu_backend(model, options);
}

struct Entry {
  std::string_view name;
  bool (*computes)(Device, Precision);
  std::unique_ptr<Backend> (*make)(const Model&, const BackendOptions&);
  std::string (*problem)(Device);
};

// To add a backend, add a row. "auto" takes the first one that supports the requested device and precision.
constexpr std::array kBackends = {
    Entry{"fused", fused_computes, make_fused_backend,
          [](Device device) { return device.kind == DeviceKind::kCpu ? "" : cuda_library_problem(device.index); }},
    Entry{"torchscript", torchscript_computes, make_torchscript_backend,
          [](Device device) { return torchscript_problem(device); }}};

constexpr auto kNames = [] {
  std::array<std::string_view, kBackends.size()> names;
  for (std::size_t i = 0; i < kBackends.size(); ++i) names[i] = kBackends[i].name;
  return names;
}();

const Entry* find_entry(std::string_view name) {
  const auto* found = std::ranges::find(kBackends, name, &Entry::name);
  return found == kBackends.end() ? nullptr : found;
}

}  // namespace

std::span<const std::string_view> registered_backends() { return kNames; }

std::unique_ptr<Backend> make_backend(std::string_view name, const Model& model, const BackendOptions& options) {
  const Entry* entry = find_entry(name);
  if (entry == nullptr) throw UsageError("backend " + std::string(name) + ": no such backend");
  return entry->make(model, options);
}

bool backend_computes(std::string_view name, Device device, Precision precision) {
  const Entry* entry = find_entry(name);
  return entry != nullptr && entry->computes(device, precision);
}

std::string backend_problem(std::string_view name, Device device) {
  const Entry* entry = find_entry(name);
  return entry == nullptr ? "" : entry->problem(device);
}

std::string device_problem(Device device) {
  if (device.kind == DeviceKind::kCpu) return "";
  std::string problems;
  for (const Entry& entry : kBackends) {
    const std::string problem = backend_problem(entry.name, device);
    if (problem.empty()) return "";
    problems += (problems.empty() ? "" : "; ") + problem;
  }
  return problems;
}

}  // namespace p2mpp
