#include "p2mpp/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <utility>

#include "backends/companion_library.h"
#include "backends/registry.h"
#include "base/machine/device_choice.h"
#include "base/machine/instruction_set.h"
#include "engine/batch_choice.h"
#include "engine/computation.h"
#include "engine/engine_options.h"
#include "engine/predicted_distances.h"
#include "geometry/foreign/welding.h"
#include "geometry/points.h"
#include "model/model.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr auto kNotFinite = "the network gave vertices that are not finite";

// The template's triangles, wound outward, on a level's vertices.
TriangleMesh level_mesh(const Points& vertices, const TemplateLevel& level) {
  TriangleMesh mesh{vertices, level.oriented_triangles};
  // A deformation may have turned the surface inside out as a whole.
  if (signed_volume(mesh) < 0) {
    for (Triangle& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
  }
  return mesh;
}

// Checks everything that does not need the model, so that wrong options are reported before it is loaded.
const EngineOptions& checked(const EngineOptions& options) {
  options.check();
  const Device device = choose_device(options.device).device;
  static_cast<void>(choose_backends(options.backend, device, choose_precision(options, device)));
  return options;
}

// Published semantics promise the published meshes, so automatic choices stay exact.
EngineOptions options_for(const EngineOptions& options, const ModelInfo& model) {
  EngineOptions changed = options;
  changed.exact = options.exact || model.semantics != Semantics::kClean;
  return changed;
}

// Why fp32 would be faster on a CPU; empty if it would not be.
std::string slower_than_fp32(const Computation& computation) {
  const bool halves = computation.precision == Precision::kBf16 || computation.precision == Precision::kBf16x3;
  if (!halves || computation.choice.device.kind != DeviceKind::kCpu) return {};
  const Bf16Speed speed = bf16_speed(computation.instruction_set);
  const bool is_slower = !speed.is_faster || (computation.precision == Precision::kBf16x3 &&
                                              !multiplies_tiles(computation.instruction_set));
  if (!is_slower) return {};
  return fmt::format("precision {} is slower than fp32 here: {}", to_string(computation.precision),
                     speed.is_faster ? "it takes three products of bf16 without AMX" : speed.reason);
}

}  // namespace

struct Engine::Impl {
  explicit Impl(const EngineOptions& engine_options);

  void make_distance_network();
  void warm_up();
  void choose_batch();
  void apply_batch_limit();

  EngineOptions options;
  int threads;
  Model model;
  TriangleMesh undeformed;
  Computation computation;
  BatchChoice choice;
  std::atomic<int> batch = 1;
  std::vector<DeviceSpan> device_spans;
  std::size_t in_flight = 0;                                    ///< batches that were submitted and not yet collected
  std::unique_ptr<DistanceNetwork> distance_network = nullptr;  ///< null: the model has none
  std::mutex distance_mutex = {};
};

Engine::Impl::Impl(const EngineOptions& engine_options)
    : options(checked(engine_options)),
      threads(options.threads > 0 ? options.threads : physical_core_count()),
      model(load_model(options.model.empty() ? default_model_folder() : options.model, options.hash_check)),
      undeformed(p2mpp::undeformed_mesh(model.mesh_template)),
      computation(start_computation(options_for(options, model.info), threads, sources_for(model))) {
  make_distance_network();
  // The backend has its own copy of the weights.
  std::string().swap(model.stage1_archive);
  std::string().swap(model.stage2_archive);
  std::string().swap(model.volume_archive);
  if (const std::string slower = slower_than_fp32(computation); !slower.empty()) options.on_warning(slower);
  warm_up();
  choose_batch();
}

void Engine::Impl::make_distance_network() {
  if (!has_distance_network(model)) return;
  distance_network = p2mpp::make_distance_network(
      computation.backend_name, model,
      {.device = computation.choice.device, .threads = threads, .instruction_set = computation.instruction_set});
}

void Engine::Impl::warm_up() {
  const int passes = warmup_passes(options, computation.choice.device);
  if (passes == 0) return;
  const std::size_t count = options.batch == kAutoBatch ? 1 : static_cast<std::size_t>(options.batch);
  const std::vector<Sample> samples(count, blank_sample(trained_view_count(model.info)));
  PartTimes ignored;
  for (int pass = 0; pass < passes; ++pass) static_cast<void>(computation.backend->run(samples, ignored));
}

void Engine::Impl::choose_batch() {
  choice = options.batch == kAutoBatch
               ? measure_batch(*computation.backend, trained_view_count(model.info), options.memory_share, kMaxBatch)
               : BatchChoice{.batch = options.batch, .trials = {}, .reason = {}};
  batch = choice.batch;
  apply_batch_limit();
}

// The backend splits batches that do not fit into the device's memory. Logs a warning and lowers the reported batch to
// the backend's limit.
void Engine::Impl::apply_batch_limit() {
  const std::size_t largest = computation.backend->largest_batch();
  const int before = batch;
  if (largest >= static_cast<std::size_t>(before)) return;
  batch = static_cast<int>(largest);
  options.on_warning(fmt::format("a batch of {} does not fit into memory; reduced to {}", before, batch.load()));
}

Engine::Engine(const EngineOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

std::vector<ReconstructionResult> Engine::reconstruct(std::span<const Sample> samples) {
  if (impl_->in_flight > 0) throw UsageError("reconstruct: a batch is in flight; expected collect() first");
  std::vector<ReconstructionResult> results;
  while (results.size() < samples.size()) {
    const std::span<const Sample> left = samples.subspan(results.size());
    const std::span<const Sample> batch = left.first(std::min(left.size(), static_cast<std::size_t>(impl_->batch)));
    std::size_t good = 0;
    std::string problem;
    try {
      for (; good < batch.size(); ++good) check_computable(batch[good]);
    } catch (const InputError& error) {
      problem = error.what();
    }
    if (good == 0) {
      results.push_back({.reconstruction = {}, .times = {}, .problem = problem});
      continue;
    }
    submit(batch.first(good));
    std::ranges::move(collect(), std::back_inserter(results));
  }
  return results;
}

void Engine::submit(std::span<const Sample> batch) {
  if (impl_->in_flight >= batches_in_flight()) {
    throw UsageError(
        fmt::format("submit: as many batches are in flight as the engine takes ({}); expected collect() first",
                    batches_in_flight()));
  }
  for (const Sample& sample : batch) check_computable(sample);
  impl_->computation.backend->submit(batch);
  ++impl_->in_flight;
}

std::vector<ReconstructionResult> Engine::collect() {
  if (impl_->in_flight == 0) throw UsageError("collect: no batch is in flight; expected submit() first");
  ComputedBatch computed;
  --impl_->in_flight;
  try {
    computed = impl_->computation.backend->collect();
  } catch (...) {
    impl_->apply_batch_limit();
    throw;
  }
  impl_->apply_batch_limit();
  impl_->device_spans.insert(impl_->device_spans.end(), computed.spans.begin(), computed.spans.end());
  computed.times /= static_cast<double>(computed.reconstructions.size());
  std::vector<ReconstructionResult> results;
  for (Reconstruction& reconstruction : computed.reconstructions) {
    ReconstructionResult& result = results.emplace_back();
    if (!all_finite(reconstruction.vertices())) result.problem = kNotFinite;
    result.reconstruction = std::move(reconstruction);
    result.times = computed.times;
  }
  return results;
}

std::size_t Engine::batches_in_flight() const { return impl_->computation.backend->batches_in_flight(); }

void Engine::watch_device() { impl_->computation.backend->watch_device(); }
std::vector<DeviceSpan> Engine::take_device_spans() { return std::exchange(impl_->device_spans, {}); }
std::size_t Engine::device_bytes() const { return impl_->computation.backend->device_bytes(); }

TriangleMesh Engine::mesh(const Sample& sample, const Reconstruction& reconstruction) const {
  if (!all_finite(reconstruction.vertices())) {
    throw InputError(fmt::format("{}: {}", sample.id, kNotFinite));
  }
  if (sample.initial_mesh) return moved(*sample.initial_mesh, reconstruction.vertices());
  return level_mesh(reconstruction.vertices(), impl_->model.mesh_template.levels.back());
}

std::vector<TriangleMesh> Engine::coarse_meshes(const Reconstruction& reconstruction) const {
  std::vector<TriangleMesh> meshes;
  for (std::size_t level = 0; level < reconstruction.coarse.size(); ++level) {
    meshes.push_back(level_mesh(reconstruction.coarse[level], impl_->model.mesh_template.levels[level]));
  }
  return meshes;
}

const TriangleMesh* Engine::undeformed_mesh() const { return &impl_->undeformed; }

bool Engine::has_distances() const { return impl_->distance_network != nullptr; }

std::shared_ptr<const DistanceField> Engine::distances(const Sample& sample, const TriangleMesh& refined) const {
  const std::lock_guard lock(impl_->distance_mutex);
  return std::make_shared<const DistanceField>(
      predicted_distances(*impl_->distance_network, sample, refined, impl_->threads));
}

const ModelInfo& Engine::model() const { return impl_->model.info; }
const DeviceChoice& Engine::device() const { return impl_->computation.choice; }
std::string_view Engine::backend() const { return impl_->computation.backend_name; }
Precision Engine::precision() const { return impl_->computation.precision; }
const BatchChoice& Engine::batch_choice() const { return impl_->choice; }
int Engine::batch() const { return impl_->batch; }
int Engine::threads() const { return impl_->threads; }
InstructionSet Engine::instruction_set() const { return impl_->computation.instruction_set; }
std::string Engine::libtorch_version() { return libtorch_version_text(); }

}  // namespace p2mpp
