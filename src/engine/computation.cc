#include "engine/computation.h"

#include <fmt/format.h>

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

// Tries to create a backend and returns why that failed (one clause), or an empty string. Throws if no other backend
// should be tried. `earlier`: the problems of the backends tried before.
std::string problem_of(const Start& start, std::string_view name, const BackendOptions& options, bool is_last,
                       const std::string& earlier, std::unique_ptr<Backend>& backend) {
  try {
    start.sources.check(name, options.device);
  } catch (const Error& error) {
    return error.what();
  }
  std::string problem;
  try {
    backend = start.sources.make(name, options);
  } catch (const SelfCheckFailed& failure) {
    problem = fmt::format("{} on {}: {}", name, to_string(options.device), failure.what());
    if (start.options.backend != kAuto) throw SelfCheckFailed(problem);
  } catch (const UsageError& error) {  // a model that this backend has no kernels for
    if (is_last) throw;
    problem = error.what();
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {  // the device may have failed an earlier backend, too
    if (earlier.empty()) throw;
    problem = error.what();
  }
  return problem;
}

// The first of the backends that works on a device.
Computation compute_on(const Start& start, const DeviceChoice& choice) {
  const Precision precision = choose_precision(start.options, choice.device);
  const InstructionSet instructions = choose_instruction_set(start.options, precision);
  const auto names = choose_backends(start.options.backend, choice.device, precision);
  const BackendOptions options{choice.device, precision, start.threads, instructions};
  std::string problem;
  for (const std::string_view name : names) {
    std::unique_ptr<Backend> backend;
    const std::string its_problem = problem_of(start, name, options, name == names.back(), problem, backend);
    if (backend != nullptr) {
      std::string note = choice.note;
      if (!problem.empty()) note = fmt::format("{}; the backend {} computes", problem, name);
      return {{choice.device, note}, precision, instructions, name, std::move(backend)};
    }
    problem += (problem.empty() ? "" : "; ") + its_problem;
  }
  throw Error(problem);
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
  std::string problem;
  try {
    return compute_on(start, choice);
  } catch (const UsageError&) {
    throw;
  } catch (const InputError&) {
    throw;
  } catch (const SelfCheckFailed&) {
    throw;
  } catch (const Error& error) {
    problem = error.what();
  }
  return fall_back_to_cpu(start, problem);
}

}  // namespace p2mpp
