#include "eval/benchmark.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <numeric>

#include "engine/engine_options.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr int kCpuWarmup = 2;
constexpr int kCpuRepeats = 10;
constexpr int kCudaRepeats = 100;

// A combination before it is measured.
struct Plan {
  EngineOptions engine;
  int warmup = 0;
  int repeats = 0;
  bool is_baseline = false;
  std::string impossible;  // why this machine cannot do it, empty if it seems to
};

Plan make_plan(const EngineOptions& engine, const BenchmarkOptions& options) {
  engine.check();
  Plan plan{.engine = engine, .impossible = {}};
  plan.engine.warmup = 0;  // what warms up are calls with the sample that is measured
  Device device;
  try {
    device = choose_device(engine.device).device;
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    plan.impossible = error.what();
    return plan;
  }
  const bool cuda = device.kind == DeviceKind::kCuda;
  try {
    const Precision precision = choose_precision(engine.precision, device);
    plan.is_baseline = !cuda && engine.backend == "torchscript" && precision == Precision::kFp32 && engine.batch == 1;
  } catch (const UsageError& error) {
    plan.impossible = error.what();
  }
  plan.warmup = options.warmup >= 0 ? options.warmup : cuda ? kCudaWarmupPasses : kCpuWarmup;
  plan.repeats = options.repeats > 0 ? options.repeats : cuda ? kCudaRepeats : kCpuRepeats;
  return plan;
}

std::vector<Plan> make_plans(const BenchmarkOptions& options) {
  std::vector<Plan> plans;
  EngineOptions engine = options.engine;
  for (const std::string& device : options.devices) {
    engine.device = device;
    for (const std::string& backend : options.backends) {
      engine.backend = backend;
      for (const std::string& precision : options.precisions) {
        engine.precision = precision;
        for (const int batch : options.batches) {
          engine.batch = batch;
          plans.push_back(make_plan(engine, options));
        }
      }
    }
  }
  return plans;
}

Plan make_baseline_plan(const BenchmarkOptions& options) {
  EngineOptions engine = options.engine;
  engine.device = "cpu";
  engine.backend = "torchscript";
  engine.precision = "fp32";
  engine.batch = 1;
  return make_plan(engine, options);
}

std::string describe(const Plan& plan) {
  return fmt::format("{} {} {} batch {}", plan.engine.device, plan.engine.backend, plan.engine.precision,
                     plan.engine.batch);
}

BenchmarkRow row_of(const Plan& plan) {
  BenchmarkRow row;
  row.device = plan.engine.device;
  row.backend = plan.engine.backend;
  row.precision = plan.engine.precision;
  row.batch = plan.engine.batch;
  row.threads = plan.engine.threads;
  row.warmup = plan.warmup;
  row.repeats = plan.repeats;
  row.is_baseline = plan.is_baseline;
  row.skipped = plan.impossible;
  return row;
}

// What the calls took, each in milliseconds a sample.
struct Timings {
  std::vector<double> total;
  std::array<std::vector<double>, kPartCount> parts;
};

std::vector<Outcome> reconstruct_all(const BenchmarkSubject& subject, std::span<const Sample> batch) {
  std::vector<Outcome> outcomes = subject.reconstruct(batch);
  for (const Outcome& outcome : outcomes) {
    if (!outcome.problem.empty()) throw Error(outcome.problem);
  }
  return outcomes;
}

Timings time_calls(const BenchmarkSubject& subject, std::span<const Sample> batch, const Plan& plan, Trace& trace) {
  const std::string name = describe(plan);
  for (int call = 0; call < plan.warmup; ++call) static_cast<void>(reconstruct_all(subject, batch));
  Timings timings;
  for (int call = 0; call < plan.repeats; ++call) {
    Span span(trace, "compute", name);
    const std::vector<Outcome> outcomes = reconstruct_all(subject, batch);
    timings.total.push_back(span.finish() / static_cast<double>(batch.size()));
    PartTimes times;
    for (const Outcome& outcome : outcomes) times += outcome.times;
    trace.add_parts(span.begin(), times, name);
    times /= static_cast<double>(batch.size());
    for (std::size_t i = 0; i < kPartCount; ++i) timings.parts[i].push_back(times.milliseconds[i]);
  }
  return timings;
}

void enter(Timings timings, BenchmarkRow& row) {
  const double milliseconds = std::accumulate(timings.total.begin(), timings.total.end(), 0.0);
  row.samples_per_second = 1000 * static_cast<double>(timings.total.size()) / milliseconds;
  row.total = summarize(std::move(timings.total));
  for (std::size_t i = 0; i < kPartCount; ++i) row.parts[i] = summarize(std::move(timings.parts[i]));
}

// peak_resident_bytes() starts again from what is resident now (man 5 proc). Where the system does not let it, the peak
// stays that of the process so far.
void restart_peak_resident_bytes() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
}

BenchmarkRow measure(const Plan& plan, const Sample& sample, const OpenSubject& open, Trace& trace) {
  BenchmarkRow row = row_of(plan);
  restart_peak_resident_bytes();
  try {
    const BenchmarkSubject subject = open(plan.engine);
    row.device = subject.device;
    row.backend = subject.backend;
    row.precision = subject.precision;
    row.threads = subject.threads;
    const std::vector<Sample> batch(static_cast<std::size_t>(plan.engine.batch), sample);
    enter(time_calls(subject, batch, plan, trace), row);
    row.peak_resident_bytes = peak_resident_bytes();
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    row.skipped = error.what();
  }
  return row;
}

void compare_with_baseline(std::vector<BenchmarkRow>& rows) {
  const auto baseline =
      std::ranges::find_if(rows, [](const BenchmarkRow& row) { return row.is_baseline && row.measured(); });
  const double baseline_ms = baseline == rows.end() ? std::numeric_limits<double>::quiet_NaN() : baseline->total.median;
  for (BenchmarkRow& row : rows) {
    if (row.measured()) row.speedup = baseline_ms / row.total.median;
  }
}

}  // namespace

std::vector<BenchmarkRow> run_benchmark(const BenchmarkOptions& options, const Sample& sample, const OpenSubject& open,
                                        Trace& trace, const std::function<void(std::string_view)>& on_start) {
  std::vector<Plan> plans = make_plans(options);
  if (plans.empty()) throw UsageError("nothing to measure; expected a device, a backend, a precision and a batch");
  if (std::ranges::none_of(plans, [](const Plan& plan) { return plan.impossible.empty(); })) {
    throw Error("nothing could be measured: " + plans.front().impossible);
  }
  const bool has_baseline = std::ranges::any_of(plans, &Plan::is_baseline);
  const std::size_t added = options.baseline && !has_baseline ? 1 : 0;
  if (added > 0) plans.insert(plans.begin(), make_baseline_plan(options));
  std::vector<BenchmarkRow> rows;
  for (const Plan& plan : plans) {
    if (plan.impossible.empty()) {
      on_start(describe(plan));
      rows.push_back(measure(plan, sample, open, trace));
    } else {
      rows.push_back(row_of(plan));
    }
  }
  const auto asked = std::span(rows).subspan(added);
  if (std::ranges::none_of(asked, &BenchmarkRow::measured)) {
    throw Error("nothing could be measured: " + asked.front().skipped);
  }
  compare_with_baseline(rows);
  return rows;
}

}  // namespace p2mpp
