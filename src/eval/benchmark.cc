#include "eval/benchmark.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <numeric>
#include <random>

#include "base/machine/device_choice.h"
#include "base/machine/host.h"
#include "engine/computation.h"
#include "engine/engine_options.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr int kCpuWarmup = 2;
constexpr int kCpuRepeats = 10;
constexpr int kCudaRepeats = 100;

// A combination before it is measured.
struct BenchmarkPlan {
  EngineOptions engine;
  BenchmarkRow row;  // known before the measurement; `skipped` is set if this machine does not support it
};

// Resolves the row's precision and backend for a device; sets `skipped` if the device does not support them.
void resolve_computation(Device device, BenchmarkRow& row) {
  row.device = to_string(device);
  try {
    const Precision precision = choose_precision(row.precision, device);
    row.precision = to_string(precision);
    row.backend = choose_backend(row.backend, device, precision);
  } catch (const UsageError& error) {
    row.skipped = error.what();
  }
}

// Replaces the requested names by what they mean on this machine; sets `skipped` if something is not available.
void resolve(BenchmarkRow& row) {
  try {
    resolve_computation(choose_device(row.device).device, row);
  } catch (const UsageError&) {
    throw;  // the device's name is invalid
  } catch (const Error& error) {
    row.skipped = error.what();
  }
}

BenchmarkPlan make_plan(const EngineOptions& engine, const BenchmarkOptions& options) {
  engine.check();
  BenchmarkPlan plan{.engine = engine, .row = {}};
  plan.engine.exact = true;  // auto is fp32, as the plan says
  plan.engine.warmup = 0;    // time_calls() warms up with the measured sample instead
  BenchmarkRow& row = plan.row;
  row.device = engine.device;
  row.backend = engine.backend;
  row.precision = engine.precision;
  row.batch = engine.batch;
  row.threads = engine.threads;
  resolve(row);
  const bool cuda = row.device.starts_with("cuda");
  row.warmup = options.warmup >= 0 ? options.warmup : cuda ? kCudaWarmupPasses : kCpuWarmup;
  row.repeats = options.repeats > 0 ? options.repeats : cuda ? kCudaRepeats : kCpuRepeats;
  row.is_baseline = row.device == "cpu" && row.backend == "torchscript" && row.precision == "fp32" && row.batch == 1;
  return plan;
}

std::vector<BenchmarkPlan> make_plans(const BenchmarkOptions& options) {
  std::vector<BenchmarkPlan> plans;
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

BenchmarkPlan make_baseline_plan(const BenchmarkOptions& options) {
  EngineOptions engine = options.engine;
  engine.device = "cpu";
  engine.backend = "torchscript";
  engine.precision = "fp32";
  engine.batch = 1;
  return make_plan(engine, options);
}

std::string describe(const BenchmarkRow& row) {
  return fmt::format("{} {} {} batch {}", row.device, row.backend, row.precision, batch_size_name(row.batch));
}

// Times of the measured calls, in milliseconds per sample.
struct Timings {
  std::vector<double> total;
  std::array<std::vector<double>, kPartCount> parts;
};

std::vector<ReconstructionResult> reconstruct_all(const BenchmarkSubject& subject, std::span<const Sample> batch) {
  std::vector<ReconstructionResult> results = subject.reconstruct(batch);
  for (const ReconstructionResult& result : results) {
    if (!result.problem.empty()) throw Error(result.problem);
  }
  return results;
}

Timings time_calls(const BenchmarkSubject& subject, std::span<const Sample> batch, const BenchmarkRow& row,
                   Trace& trace) {
  const std::string name = describe(row);
  for (int call = 0; call < row.warmup; ++call) static_cast<void>(reconstruct_all(subject, batch));
  Timings timings;
  for (int call = 0; call < row.repeats; ++call) {
    Span span(trace, "compute", name);
    const std::vector<ReconstructionResult> results = reconstruct_all(subject, batch);
    timings.total.push_back(span.finish() / static_cast<double>(batch.size()));
    PartTimes times;
    for (const ReconstructionResult& result : results) times += result.times;
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

// Resets peak_resident_bytes() to the memory that is resident now (man 5 proc). If the system does not allow that, the
// peak remains that of the process so far.
void restart_peak_resident_bytes() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
}

BenchmarkRow measure(const BenchmarkPlan& plan, const Sample& sample, const OpenSubject& open, Trace& trace) {
  BenchmarkRow row = plan.row;
  restart_peak_resident_bytes();
  try {
    const BenchmarkSubject subject = open(plan.engine);
    row.device = subject.device;
    row.backend = subject.backend;
    row.precision = subject.precision;
    row.threads = subject.threads;
    row.batch_choice = subject.batch_choice;
    row.batch = subject.batch_choice.batch;
    row.gemm_gflops = subject.measure_gemm_gflops();
    const std::vector<Sample> batch(static_cast<std::size_t>(row.batch), sample);
    enter(time_calls(subject, batch, row, trace), row);
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

std::string batch_size_name(int batch) { return batch == kAutoBatch ? "auto" : std::to_string(batch); }

std::vector<BenchmarkRow> run_benchmark(const BenchmarkOptions& options, const Sample& sample, const OpenSubject& open,
                                        Trace& trace, const std::function<void(std::string_view)>& on_start) {
  std::vector<BenchmarkPlan> plans = make_plans(options);
  if (plans.empty()) throw UsageError("nothing to measure; expected a device, a backend, a precision and a batch");
  if (std::ranges::none_of(plans, [](const BenchmarkPlan& plan) { return plan.row.skipped.empty(); })) {
    throw Error("nothing could be measured: " + plans.front().row.skipped);
  }
  const bool has_baseline = std::ranges::any_of(plans, [](const BenchmarkPlan& plan) { return plan.row.is_baseline; });
  const std::size_t added = options.baseline && !has_baseline ? 1 : 0;
  if (added > 0) plans.insert(plans.begin(), make_baseline_plan(options));
  std::vector<BenchmarkRow> rows;
  for (const BenchmarkPlan& plan : plans) {
    if (plan.row.skipped.empty()) {
      on_start(describe(plan.row));
      rows.push_back(measure(plan, sample, open, trace));
    } else {
      rows.push_back(plan.row);
    }
  }
  const auto asked = std::span(rows).subspan(added);
  if (std::ranges::none_of(asked, &BenchmarkRow::measured)) {
    throw Error("nothing could be measured: " + asked.front().skipped);
  }
  compare_with_baseline(rows);
  return rows;
}

BenchmarkSubject open_engine_subject(const EngineOptions& options) {
  const auto engine = std::make_shared<Engine>(options);
  return {.reconstruct = [engine](std::span<const Sample> samples) { return engine->reconstruct(samples); },
          .measure_gemm_gflops = [engine] { return measure_gemm_gflops(*engine); },
          .device = to_string(engine->device().device),
          .backend = std::string(engine->backend()),
          .precision = std::string(to_string(engine->precision())),
          .threads = engine->threads(),
          .batch_choice = engine->batch_choice()};
}

namespace {

constexpr int kSide = 137;  // pixels, the size of ShapeNet's renderings
constexpr int kEllipseCount = 4;
constexpr std::array kCameras = {
    CameraRow{250.5F, 29.5F, 0, 0.652F, 25},
    CameraRow{8.4F, 26.5F, 0, 0.713F, 25},
    CameraRow{59.4F, 28.9F, 0, 0.806F, 25},
};

// Positions and radii as fractions of the image's side.
struct Ellipse {
  double x, y, radius_x, radius_y;
  std::array<double, 3> colour;  // 0..1
};

double uniform(std::mt19937_64& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
}

Ellipse draw_ellipse(std::mt19937_64& random) {
  Ellipse ellipse{};
  ellipse.x = uniform(random, 0.35, 0.65);
  ellipse.y = uniform(random, 0.35, 0.65);
  ellipse.radius_x = uniform(random, 0.1, 0.3);
  ellipse.radius_y = uniform(random, 0.1, 0.3);
  for (double& channel : ellipse.colour) channel = uniform(random, 0.1, 0.9);
  return ellipse;
}

// Brightest in the middle, falling off as the surface of an ellipsoid turns away.
void paint(const Ellipse& ellipse, Image& image) {
  for (int row = 0; row < kSide; ++row) {
    for (int column = 0; column < kSide; ++column) {
      const double dx = ((column + 0.5) / kSide - ellipse.x) / ellipse.radius_x;
      const double dy = ((row + 0.5) / kSide - ellipse.y) / ellipse.radius_y;
      const double distance_squared = dx * dx + dy * dy;
      if (distance_squared >= 1) continue;
      const double light = 0.3 + 0.7 * std::sqrt(1 - distance_squared);
      auto* pixel = &image.rgba[static_cast<std::size_t>(4 * (row * kSide + column))];
      for (const double channel : ellipse.colour) *pixel++ = static_cast<std::uint8_t>(255 * channel * light);
      *pixel = 255;
    }
  }
}

}  // namespace

Sample synthetic_sample(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Sample sample{.id = "synthetic", .views = {}};
  for (const CameraRow& camera : kCameras) {
    Image image{kSide, kSide, std::vector<std::uint8_t>(std::size_t{4} * kSide * kSide, 0)};
    for (int i = 0; i < kEllipseCount; ++i) paint(draw_ellipse(random), image);
    sample.views.push_back(view_from_row(std::move(image), camera));
  }
  return sample;
}

}  // namespace p2mpp
