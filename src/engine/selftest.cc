#include "engine/selftest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "backends/companion_library.h"
#include "backends/registry.h"
#include "backends/self_check/cpu_check.h"
#include "backends/self_check/plain_network.h"
#include "backends/self_check/random_sample.h"
#include "base/machine/device_choice.h"
#include "base/machine/host.h"
#include "base/machine/instruction_set.h"
#include "engine/engine_options.h"
#include "model/model.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr std::string_view kFused = "fused";
constexpr int kHopper = 90;  // compute capability 9.0
constexpr std::size_t kViews = 3;

struct DrawnNetwork {
  Semantics semantics;
  std::size_t image_channels;
  bool mask_evidence = false;

  [[nodiscard]] std::string name() const {
    const bool masked = image_channels == kMaskedImageChannels;
    return fmt::format("{}{}", to_string(semantics), mask_evidence ? " with evidence" : masked ? " with masks" : "");
  }
};
constexpr std::array kNetworks = {DrawnNetwork{Semantics::kTf, 3}, DrawnNetwork{Semantics::kDesignB, 3},
                                  DrawnNetwork{Semantics::kClean, 3}, DrawnNetwork{Semantics::kClean, 4},
                                  DrawnNetwork{Semantics::kClean, 4, true}};

/// Tolerance of the mean difference between vertices, relative to the largest coordinate. It is a mean because some
/// operations sample a map at the nearest pixel, so that the last bit of a position can change one vertex visibly. bf16
/// and lower precisions round the hypotheses' scores, and thereby change how far a vertex moves. Drawn maps amplify the
/// errors of coordinates that bf16x3 leaves in stage 1.
double network_tolerance(Precision precision) {
  if (precision == Precision::kFp32) return 1e-5;
  if (precision == Precision::kTf32 || precision == Precision::kFp16) return 1e-4;
  return precision == Precision::kBf16x3 || precision == Precision::kBf16 ? 5e-4 : 5e-3;
}

/// A network with random weights, a sample, and the vertices that plain loops compute from them.
struct Expectation {
  explicit Expectation(const DrawnNetwork& network)
      : name(network.name()),
        model(drawn_model(network.semantics, network.image_channels, network.mask_evidence)),
        sample(network.image_channels == 4 ? random_masked_sample(3, kViews) : random_sample(3, kViews)) {
    const plain::Vertices expected = plain::run_network(model, sample);
    model.info.fp8_largest_inputs = expected.largest_inputs;
    levels = expected.coarse;
    levels.insert(levels.end(), expected.refined.begin(), expected.refined.end());
  }

  std::string name;
  Model model;
  Sample sample;
  std::vector<std::vector<double>> levels;  ///< [vertices,3] of each block, coarse then refined
};

/// The largest, over all blocks, of the mean difference between vertices.
double largest_mean_difference(const Reconstruction& found, const Expectation& expected) {
  std::vector<Points> levels = found.coarse;
  levels.insert(levels.end(), found.refined.begin(), found.refined.end());
  if (levels.size() != expected.levels.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::span<const float> values(levels[i].front().data(), 3 * levels[i].size());
    largest = std::max(largest, mean_relative_difference(values, expected.levels[i]));
  }
  return largest;
}

constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

class Selftest {
 public:
  explicit Selftest(const std::function<void(const SelftestCheck&)>& on_check) : on_check_(on_check) {
    for (const DrawnNetwork& network : kNetworks) expectations_.emplace_back(network);
  }

  void check_cpu(std::span<const InstructionSet> sets, std::span<const Precision> precisions, int threads) {
    for (const InstructionSet set : sets) {
      for (const Precision precision : precisions) {
        const std::string device = fmt::format("cpu {}", to_string(set));
        add(device, precision, check_cpu_operations(set, precision));
        check_network(device, {.device = {}, .precision = precision, .threads = threads, .instruction_set = set});
      }
    }
    const bool all_sets = sets.size() == usable_instruction_sets().size();
    if (all_sets && std::ranges::count(precisions, Precision::kBf16) > 0) {
      const InstructionSet chosen = choose_instruction_set(kAuto, Products::kBf16);
      add(fmt::format("cpu {}", to_string(chosen)), Precision::kBf16, {check_choice_for_bf16(sets, chosen)});
    }
    const double copied = measure_copied_gb_per_s(threads);
    for (const Precision precision : precisions) {
      report.rates.push_back(
          {"cpu", std::string(to_string(precision)), copied, packed_gemm_gflops(precision, threads), kNotMeasured});
    }
  }

  void check_cuda(Device device, std::span<const Precision> precisions) {
    const std::string name = to_string(device);
    for (const Precision precision : precisions) {
      attempt(name, precision, "kernels", [&] { add(name, precision, check_cuda_kernels(device.index, precision)); });
      check_network(name, {.device = device, .precision = precision});
      measure_cuda(device, precision);
    }
  }

  SelftestReport report;

 private:
  // An Error of the call is a check that could not run.
  template <class Call>
  void attempt(const std::string& device, Precision precision, const std::string& what, const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      add({.device = device,
           .precision = std::string(to_string(precision)),
           .what = what,
           .error = std::numeric_limits<double>::infinity(),
           .tolerance = 0,
           .problem = error.what()});
    }
  }

  void add(SelftestCheck check) {
    on_check_(check);
    report.checks.push_back(std::move(check));
  }

  void add(const std::string& device, Precision precision, const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
      add({device, std::string(to_string(precision)), finding.what, finding.error, finding.tolerance, finding.problem});
    }
  }

  void check_network(const std::string& device, const BackendOptions& options) {
    for (const Expectation& expected : expectations_) {
      const std::string what = fmt::format("whole network, {}, mean", expected.name);
      attempt(device, options.precision, what, [&] {
        PartTimes times;
        const auto backend = make_backend(kFused, expected.model, options);
        const double error = largest_mean_difference(backend->run({&expected.sample, 1}, times).front(), expected);
        add({device, std::string(to_string(options.precision)), what, error, network_tolerance(options.precision), {}});
      });
    }
  }

  void measure_cuda(Device device, Precision precision) {
    attempt(to_string(device), precision, "rates", [&] {
      const DeviceRates rates = measure_cuda_rates(device.index, precision);
      report.rates.push_back({to_string(device), std::string(to_string(precision)), rates.copied_gb_per_s,
                              rates.product_gflop_per_s, rates.start_check_ms});
    });
  }

  const std::function<void(const SelftestCheck&)>& on_check_;
  std::vector<Expectation> expectations_;
};

// The precisions that the options select and that the device supports.
std::vector<Precision> list_precisions(const SelftestOptions& options, Device device) {
  std::vector<Precision> found;
  for (const Precision precision : all_precisions()) {
    const bool is_meant = options.precisions.empty() || std::ranges::count(options.precisions, kAuto) > 0 ||
                          std::ranges::count(options.precisions, to_string(precision)) > 0;
    const bool needs_hopper = precision == Precision::kFp8;
    const bool has_it =
        backend_computes(kFused, device, precision) &&
        (!needs_hopper ||
         cuda_driver().devices.at(static_cast<std::size_t>(device.index)).compute_capability == kHopper);
    if (is_meant && has_it) found.push_back(precision);
  }
  return found;
}

struct ChosenDevices {
  bool cpu = false;
  std::optional<Device> cuda;
  std::string note;
};

ChosenDevices choose_devices(const std::string& text) {
  const DeviceChoice choice = choose_device(text);
  if (choice.device.kind == DeviceKind::kCpu) return {.cpu = true, .cuda = {}, .note = choice.note};
  try {
    check_backend(kFused, choice.device);
    return {.cpu = text == kAuto, .cuda = choice.device, .note = {}};
  } catch (const Error& error) {
    if (text != kAuto) throw Error(fmt::format("device {}: {}", text, error.what()));
    return {.cpu = true, .cuda = {}, .note = fmt::format("no CUDA device: {}; checking the CPU", error.what())};
  }
}

}  // namespace

bool SelftestReport::passed() const { return std::ranges::all_of(checks, &SelftestCheck::passed); }

SelftestReport run_selftest(const SelftestOptions& options, const std::function<void(const SelftestCheck&)>& on_check) {
  for (const std::string& precision : options.precisions) {
    static_cast<void>(choose_precision(precision, {DeviceKind::kCuda, 0}));  // throws if the name does not exist
  }
  const InstructionSet named = choose_instruction_set(options.instruction_set);
  const std::span<const InstructionSet> sets =
      options.instruction_set == kAuto ? usable_instruction_sets() : std::span<const InstructionSet>(&named, 1);
  const ChosenDevices devices = choose_devices(options.device);
  const std::vector<Precision> on_cpu = devices.cpu ? list_precisions(options, {}) : std::vector<Precision>();
  const std::vector<Precision> on_cuda =
      devices.cuda ? list_precisions(options, *devices.cuda) : std::vector<Precision>();
  if (on_cpu.empty() && on_cuda.empty()) {
    throw UsageError(fmt::format("precision {}: no checked device supports it; expected fp32, bf16x3 or bf16 on a CPU",
                                 fmt::join(options.precisions, ",")));
  }
  Selftest selftest(on_check);
  selftest.report.note = devices.note;
  if (!on_cpu.empty()) selftest.check_cpu(sets, on_cpu, options.threads > 0 ? options.threads : physical_core_count());
  if (!on_cuda.empty()) selftest.check_cuda(*devices.cuda, on_cuda);
  return std::move(selftest.report);
}

}  // namespace p2mpp
