#include "engine/computation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/common/finding.h"
#include "backends/registry.h"
#include "base/machine/device_choice.h"
#include "engine/engine_options.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

/// The arguments of start_computation().
struct Start {
  const EngineOptions& options;
  int threads;
  const ComputationSources& sources;
};

// A backend, or null if another one should be tried. `problems` then gets the reason (one clause).
std::unique_ptr<Backend> try_backend(const Start& start, std::string_view name, const BackendOptions& options,
                                     bool is_last, std::vector<std::string>& problems) {
  try {
    start.sources.check(name, options.device);
  } catch (const Error& error) {
    problems.emplace_back(error.what());
    return nullptr;
  }
  try {
    return start.sources.make(name, options);
  } catch (const SelfCheckFailed& failure) {
    problems.push_back(fmt::format("{} on {}: {}", name, to_string(options.device), failure.what()));
    if (start.options.backend != kAuto) throw SelfCheckFailed(problems.back());
  } catch (const UsageError& error) {  // a model that this backend has no kernels for
    if (is_last) throw;
    problems.emplace_back(error.what());
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {  // the device may have failed an earlier backend, too
    if (problems.empty()) throw;
    problems.emplace_back(error.what());
  }
  return nullptr;
}

// The first of the backends that works on a device.
Computation compute_on(const Start& start, const DeviceChoice& choice) {
  const Precision precision = choose_precision(start.options, choice.device);
  const InstructionSet instructions = choose_instruction_set(start.options, precision);
  const auto names = choose_backends(start.options.backend, choice.device, precision);
  const BackendOptions options{choice.device, precision, start.threads, instructions};
  std::vector<std::string> problems;
  for (const std::string_view name : names) {
    std::unique_ptr<Backend> backend = try_backend(start, name, options, name == names.back(), problems);
    if (backend == nullptr) continue;
    std::string note = choice.note;
    if (!problems.empty()) note = fmt::format("{}; the backend {} computes", fmt::join(problems, "; "), name);
    return {{choice.device, note}, precision, instructions, name, std::move(backend)};
  }
  throw Error(fmt::format("{}", fmt::join(problems, "; ")));
}

// Falls back from CUDA to the CPU because of `problem`. Throws Error if the user asked for a CUDA device.
Computation fall_back_to_cpu(const Start& start, const std::string& problem) {
  const DeviceChoice cpu = without_cuda(start.options.device, problem);
  try {
    return compute_on(start, cpu);
  } catch (const UsageError& error) {  // the CPU does not support the options either
    throw Error(fmt::format("no CUDA device: {}; and {}", problem, error.what()));
  }
}

}  // namespace

ComputationSources sources_for(const Model& model) {
  return {.choose_device = choose_device,
          .check = check_backend,
          .make = [&model](std::string_view name, const BackendOptions& options) {
            return make_backend(name, model, options);
          }};
}

Computation start_computation(const EngineOptions& options, int threads, const ComputationSources& sources) {
  const Start start{options, threads, sources};
  const DeviceChoice choice = sources.choose_device(options.device);
  if (choice.device.kind == DeviceKind::kCpu) return compute_on(start, choice);
  try {
    return compute_on(start, choice);
  } catch (const UsageError&) {
    throw;
  } catch (const InputError&) {
    throw;
  } catch (const SelfCheckFailed&) {
    throw;
  } catch (const Error& error) {
    return fall_back_to_cpu(start, error.what());
  }
}

}  // namespace p2mpp
