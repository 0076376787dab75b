#include "engine/computation.h"

#include <fmt/format.h>

#include "backends/common/finding.h"
#include "backends/registry.h"
#include "engine/engine_options.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr std::string_view kAuto = "auto";

/// What one call of start_computation() goes by.
struct Start {
  const EngineOptions& options;
  int threads;
  InstructionSet instructions;
  const ComputationSources& sources;
};

// Why one of several backends cannot go on (one clause); what ends everything is thrown. earlier: why those before it
// could not.
std::string problem_of(const Start& start, std::string_view name, const BackendOptions& options, bool is_last,
                       const std::string& earlier, std::unique_ptr<Backend>& backend) {
  std::string problem = start.sources.problem(name, options.device);
  if (!problem.empty()) return problem;
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
  } catch (const Error& error) {  // a device that failed another backend, too
    if (earlier.empty()) throw;
    problem = error.what();
  }
  return problem;
}

// The first of the backends that works on a device.
Computation compute_on(const Start& start, const DeviceChoice& choice) {
  const Precision precision = choose_precision(start.options.precision, choice.device);
  const auto names = choose_backends(start.options.backend, choice.device, precision);
  const BackendOptions options{choice.device, precision, start.threads, start.instructions};
  std::string problem;
  for (const std::string_view name : names) {
    std::unique_ptr<Backend> backend;
    const std::string its_problem = problem_of(start, name, options, name == names.back(), problem, backend);
    if (backend != nullptr) {
      std::string note = choice.note;
      if (!problem.empty()) note = fmt::format("{}; the backend {} computes", problem, name);
      return {{choice.device, note}, precision, name, std::move(backend)};
    }
    if (problem.empty()) problem = its_problem;
  }
  throw Error(problem);
}

// On the CPU, since a CUDA device has this problem.
Computation give_way_to_cpu(const Start& start, const std::string& problem) {
  try {
    return compute_on(start, {.device = {}, .note = fmt::format("no CUDA device: {}; computing on the CPU", problem)});
  } catch (const UsageError& error) {  // of what the CPU does not have
    throw Error(fmt::format("no CUDA device: {}; and {}", problem, error.what()));
  }
}

}  // namespace

ComputationSources sources_for(const Model& model) {
  return {.choose_device = choose_device,
          .problem = backend_problem,
          .make = [&model](std::string_view name, const BackendOptions& options) {
            return make_backend(name, model, options);
          }};
}

Computation start_computation(const EngineOptions& options, int threads, InstructionSet instructions,
                              const ComputationSources& sources) {
  const Start start{options, threads, instructions, sources};
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
  if (options.device != kAuto) {
    throw Error(fmt::format("--device {}: {}; --device cpu computes on the CPU", options.device, problem));
  }
  return give_way_to_cpu(start, problem);
}

}  // namespace p2mpp
