#include "p2mpp/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <utility>

#include "backends/libtorch.h"
#include "backends/registry.h"
#include "engine/batch_measurement.h"
#include "engine/computation.h"
#include "engine/engine_options.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr auto kNotFinite = "the network gave vertices that are not finite";

bool all_finite(const Points& points) {
  return std::ranges::all_of(points, [](const Eigen::Vector3f& point) { return point.allFinite(); });
}

// Why a sample cannot be computed (one clause), empty if it can.
std::string problem_of(const Sample& sample) {
  if (sample.views.size() < kMinViews || sample.views.size() > kMaxViews) {
    return fmt::format("{} views; expected {} to {}", sample.views.size(), kMinViews, kMaxViews);
  }
  for (std::size_t i = 0; i < sample.views.size(); ++i) {
    const auto& [image, camera] = sample.views[i];
    if (const std::string problem = describe_problem(camera); !problem.empty()) {
      return fmt::format("camera of view {}: {}", i, problem);
    }
    if (image.width < 1 || image.height < 1 ||
        image.rgba.size() !=
            std::size_t{4} * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height)) {
      return fmt::format("image of view {}: {} bytes for {}x{} pixels; expected 4 a pixel", i, image.rgba.size(),
                         image.width, image.height);
    }
  }
  return "";
}

// What can be said before a model is loaded.
const EngineOptions& checked(const EngineOptions& options) {
  options.check();
  const Device device = choose_device(options.device).device;
  static_cast<void>(choose_backends(options.backend, device, choose_precision(options.precision, device)));
  return options;
}

}  // namespace

struct Engine::Impl {
  explicit Impl(const EngineOptions& engine_options);

  // Samples that were submitted together, on their way through the backend.
  struct Submission {
    std::span<const Sample> samples;
    std::vector<Outcome> outcomes;  // a sample each
    std::size_t submitted = 0;      // samples that the backend was given, or that it cannot compute
    struct Batch {
      std::size_t first, count;  // samples
    };
    std::deque<Batch> batches = {};  // that the backend has
    std::exception_ptr failure = nullptr;

    [[nodiscard]] bool waits() const { return failure == nullptr && submitted < samples.size(); }
  };

  void warm_up();
  void choose_batch();
  void take_what_fits();
  [[nodiscard]] std::size_t trained_views() const;
  [[nodiscard]] std::size_t batch_length(std::span<const Sample> samples) const;
  void feed_backend();
  void collect_batch(Submission& submission);

  EngineOptions options;
  int threads;
  InstructionSet instructions;
  Model model;
  Computation computation;
  BatchChoice choice;
  std::atomic<int> batch = 1;
  std::deque<Submission> submissions;
  std::size_t batches_in_backend = 0;
  std::vector<DeviceSpan> device_spans;
};

Engine::Impl::Impl(const EngineOptions& engine_options)
    : options(checked(engine_options)),
      threads(options.threads > 0 ? options.threads : physical_core_count()),
      instructions(choose_instruction_set(options.instruction_set)),
      model(load_model(options.model, options.hash_check)),
      computation(start_computation(options, threads, instructions, sources_for(model))) {
  // The weights live in the backend now.
  std::string().swap(model.stage1_archive);
  std::string().swap(model.stage2_archive);
  warm_up();
  choose_batch();
}

std::size_t Engine::Impl::trained_views() const {
  return std::clamp(model.info.view_indices.size(), kMinViews, kMaxViews);
}

void Engine::Impl::warm_up() {
  const int passes = warmup_passes(options, computation.choice.device);
  if (passes == 0) return;
  const std::size_t count = options.batch == kAutoBatch ? 1 : static_cast<std::size_t>(options.batch);
  const std::vector<Sample> samples(count, blank_sample(trained_views()));
  PartTimes ignored;
  for (int pass = 0; pass < passes; ++pass) static_cast<void>(computation.backend->run(samples, ignored));
}

void Engine::Impl::choose_batch() {
  choice = options.batch == kAutoBatch
               ? measure_batch(*computation.backend, trained_views(), options.memory_share, kMaxBatch)
               : BatchChoice{.batch = options.batch, .trials = {}, .reason = {}};
  batch = choice.batch;
  take_what_fits();
}

// The backend computes in parts what does not fit into the memory; from then on no such batch is handed to it.
void Engine::Impl::take_what_fits() {
  const std::size_t largest = computation.backend->largest_batch();
  const int before = batch;
  if (largest >= static_cast<std::size_t>(before)) return;
  batch = static_cast<int>(largest);
  options.on_warning(
      fmt::format("{} samples do not fit into the memory together: from here on {}", before, batch.load()));
}

// How many samples from the front make a batch: usable ones with as many views each. 0 if the first
// is not usable.
std::size_t Engine::Impl::batch_length(std::span<const Sample> samples) const {
  const std::size_t limit = std::min(samples.size(), static_cast<std::size_t>(batch.load()));
  const std::size_t view_count = samples.front().views.size();
  std::size_t count = 0;
  while (count < limit && samples[count].views.size() == view_count && problem_of(samples[count]).empty()) ++count;
  return count;
}

// Gives the backend as many batches as it takes. What it cannot compute has its outcome already.
void Engine::Impl::feed_backend() {
  for (Submission& submission : submissions) {
    while (submission.waits()) {
      const std::span<const Sample> left = submission.samples.subspan(submission.submitted);
      const std::size_t count = batch_length(left);
      if (count > 0 && batches_in_backend >= computation.backend->batches_in_flight()) return;
      if (count == 0) {
        submission.outcomes[submission.submitted].problem = problem_of(left.front());
      } else {
        submission.batches.push_back({submission.submitted, count});
        computation.backend->submit(left.first(count));
        ++batches_in_backend;
      }
      submission.submitted += std::max<std::size_t>(count, 1);
    }
  }
}

void Engine::Impl::collect_batch(Submission& submission) {
  const auto [first, count] = submission.batches.front();
  submission.batches.pop_front();
  --batches_in_backend;
  try {
    ComputedBatch computed = computation.backend->collect();
    computed.times /= static_cast<double>(count);
    device_spans.insert(device_spans.end(), computed.spans.begin(), computed.spans.end());
    for (std::size_t i = 0; i < count; ++i) {
      Outcome& outcome = submission.outcomes[first + i];
      outcome.reconstruction = std::move(computed.reconstructions[i]);
      outcome.times = computed.times;
      if (!all_finite(outcome.reconstruction.vertices())) outcome.problem = kNotFinite;
    }
  } catch (...) {
    if (!submission.failure) submission.failure = std::current_exception();
  }
  take_what_fits();
}

Engine::Engine(const EngineOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

std::vector<Outcome> Engine::reconstruct(std::span<const Sample> samples) {
  submit(samples);
  return collect();
}

void Engine::submit(std::span<const Sample> samples) {
  impl_->submissions.push_back({.samples = samples, .outcomes = std::vector<Outcome>(samples.size())});
  impl_->feed_backend();
}

std::vector<Outcome> Engine::collect() {
  Impl::Submission& submission = impl_->submissions.front();
  for (;;) {
    impl_->feed_backend();
    if (submission.batches.empty()) break;
    impl_->collect_batch(submission);
  }
  Impl::Submission collected = std::move(submission);
  impl_->submissions.pop_front();
  if (collected.failure) std::rethrow_exception(collected.failure);
  return std::move(collected.outcomes);
}

std::size_t Engine::batches_in_flight() const { return impl_->computation.backend->batches_in_flight(); }

void Engine::watch_device() { impl_->computation.backend->watch_device(); }
std::vector<DeviceSpan> Engine::take_device_spans() { return std::exchange(impl_->device_spans, {}); }
std::size_t Engine::device_bytes() const { return impl_->computation.backend->device_bytes(); }

TriangleMesh Engine::mesh(const Sample& sample, const Reconstruction& reconstruction, Frame frame) const {
  if (!all_finite(reconstruction.vertices())) {
    throw InputError(fmt::format("{}: {}", sample.id, kNotFinite));
  }
  TriangleMesh mesh{reconstruction.vertices(), mesh_template().levels.back().oriented_triangles};
  // A deformation may have turned the surface inside out as a whole.
  if (signed_volume(mesh) < 0) {
    for (Triangle& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
  }
  if (frame == Frame::kWorld) {
    const Camera camera = camera_from_row(sample.views.front().camera);
    for (Eigen::Vector3f& vertex : mesh.vertices) {
      vertex = camera.world_from_cam(vertex.cast<double>()).cast<float>();
    }
  }
  return mesh;
}

const ModelInfo& Engine::model() const { return impl_->model.info; }
const MeshTemplate& Engine::mesh_template() const { return impl_->model.mesh_template; }
const DeviceChoice& Engine::device() const { return impl_->computation.choice; }
std::string_view Engine::backend() const { return impl_->computation.backend_name; }
Precision Engine::precision() const { return impl_->computation.precision; }
const BatchChoice& Engine::batch_choice() const { return impl_->choice; }
int Engine::batch() const { return impl_->batch; }
int Engine::threads() const { return impl_->threads; }
InstructionSet Engine::instruction_set() const { return impl_->instructions; }
std::string Engine::libtorch_version() { return libtorch_version_text(); }

}  // namespace p2mpp
