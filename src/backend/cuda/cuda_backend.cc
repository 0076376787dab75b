#include "backend/cuda/cuda_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "backend/semantics_rules.h"

namespace p2mpp {
namespace {

std::size_t pixel_bytes_of(std::span<const Sample> batch) {
  std::size_t bytes = 0;
  for (const Sample& sample : batch) {
    for (const View& view : sample.views) bytes += view.image.rgba.size();
  }
  return bytes;
}

Points points_from(const float* values, int count) {
  Points points(static_cast<std::size_t>(count));
  std::copy_n(values, 3 * points.size(), points.front().data());
  return points;
}

}  // namespace

/// What is ready for batches of one shape. Pointers are into the backend's blocks.
struct CudaBackend::Plan {
  Plan(CudaBackend& backend, const BatchShape& batch_shape)
      : shape(batch_shape),
        input_arena(backend.input_.data()),
        host_input_arena(backend.host_input_.data()),
        output_arena(backend.output_.data()),
        host_output_arena(backend.host_output_.data()),
        workspace_arena(backend.workspace_.data()),
        input(input_arena, shape, backend.pixel_capacity_),
        host_input(host_input_arena, shape, backend.pixel_capacity_),
        output(output_arena, shape, backend.network_),
        host_output(host_output_arena, shape, backend.network_),
        workspace(workspace_arena, shape, backend.network_),
        pass(*backend.runtime_, backend.network_, shape, input, workspace, output) {}

  /// Bytes of the input with so many of pixels.
  [[nodiscard]] std::size_t input_bytes(std::size_t pixel_bytes) const {
    return static_cast<std::size_t>(reinterpret_cast<std::byte*>(host_input.pixels) -
                                    reinterpret_cast<std::byte*>(host_input.images)) +
           pixel_bytes;
  }

  BatchShape shape;
  Arena input_arena, host_input_arena, output_arena, host_output_arena, workspace_arena;
  InputBuffers input, host_input;
  OutputBuffers output, host_output;
  Workspace workspace;
  ForwardPass pass;
  std::unique_ptr<DeviceGraph> graph;
};

CudaBackend::CudaBackend(std::unique_ptr<DeviceRuntime> runtime, const Model& model, Precision precision,
                         Launching launching)
    : runtime_((runtime->use(), std::move(runtime))),
      launching_(launching),
      network_(*runtime_, model, arithmetics_of(precision)),
      largest_batch_(std::numeric_limits<std::size_t>::max()),
      copied_in_begin_(runtime_->make_mark()),
      copied_in_end_(runtime_->make_mark()),
      copied_out_begin_(runtime_->make_mark()),
      copied_out_end_(runtime_->make_mark()) {
  for (auto& moment : moments_) moment = runtime_->make_mark();
  const Arithmetic arithmetic = network_.arithmetics.stage2;
  const auto layout = ReasoningLayout::of(network_.reasoning_features, network_.reasoning_hidden, depth_of(arithmetic),
                                          static_cast<int>(element_bytes(arithmetic)));
  const int vertex_threads = reasoning_vertex_threads(arithmetic, network_.reasoning_hidden);
  if (vertices_together(arithmetic, layout, vertex_threads, runtime_->shared_bytes_per_block()) == 0) {
    throw UsageError(fmt::format(
        "--backend fused: this model's deformation reasoning blocks need {} bytes of shared memory in this precision, "
        "and the device has {}; bf16 and fp16 need half",
        layout.vertex_bytes, runtime_->shared_bytes_per_block()));
  }
}

CudaBackend::~CudaBackend() = default;

std::vector<Reconstruction> CudaBackend::run(std::span<const Sample> batch, PartTimes& times,
                                             Intermediates* intermediates) {
  runtime_->use();
  std::vector<Reconstruction> results;
  results.reserve(batch.size());
  while (results.size() < batch.size()) {
    const std::size_t count = std::min(batch.size() - results.size(), largest_batch_);
    run_some(batch.subspan(results.size(), count), times, results.empty() ? intermediates : nullptr, results);
  }
  return results;
}

void CudaBackend::run_some(std::span<const Sample> batch, PartTimes& times, Intermediates* intermediates,
                           std::vector<Reconstruction>& results) {
  try {
    run_together(batch, times, intermediates, results);
  } catch (const OutOfDeviceMemory&) {
    if (batch.size() == 1) throw;
    largest_batch_ = batch.size() / 2;
    release_blocks();  // some may have grown for this batch already, and would leave too little for half of it
  }
}

BatchMemory CudaBackend::memory_for(std::size_t samples, std::size_t views) {
  runtime_->use();
  const BatchShape shape{static_cast<int>(samples), static_cast<int>(views)};
  const BatchBytes bytes(shape, std::max(samples * views * kTypicalImageBytes, pixel_capacity_), network_);
  const auto growth = [](const DeviceBlock& block, std::size_t needed) {
    return needed - std::min(needed, block.bytes());
  };
  return {.device = runtime_->memory(),
          .needed = growth(workspace_, bytes.workspace) + growth(input_, bytes.input) + growth(output_, bytes.output)};
}

void CudaBackend::run_together(std::span<const Sample> batch, PartTimes& times, Intermediates* intermediates,
                               std::vector<Reconstruction>& results) {
  using Clock = std::chrono::steady_clock;
  const std::size_t pixel_bytes = pixel_bytes_of(batch);
  const BatchShape shape{static_cast<int>(batch.size()), static_cast<int>(batch.front().views.size())};
  Plan& plan = plan_for(shape, pixel_bytes);
  const DeviceStream stream = runtime_->stream(0);
  const auto begin = Clock::now();
  fill_input(batch, plan);
  const double filling_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  const bool recorded = launching_ == Launching::kRecorded && intermediates == nullptr;
  if (recorded && plan.graph == nullptr) {
    runtime_->begin_recording();
    plan.pass.queue(moments_, nullptr);
    plan.graph = runtime_->end_recording();
  }
  runtime_->record(*copied_in_begin_, stream);
  runtime_->copy_to_device(input_.data(), host_input_.data(), plan.input_bytes(pixel_bytes), stream);
  runtime_->record(*copied_in_end_, stream);
  if (recorded) {
    runtime_->launch(*plan.graph, stream);
  } else {
    plan.pass.queue(moments_, intermediates);
  }
  runtime_->record(*copied_out_begin_, stream);
  runtime_->copy_to_host(host_output_.data(), output_.data(), plan.output_arena.bytes(), stream);
  runtime_->record(*copied_out_end_, stream);
  runtime_->synchronize(stream);
  add_times(times, filling_ms);
  read_output(plan, results);
}

CudaBackend::Plan& CudaBackend::plan_for(const BatchShape& shape, std::size_t pixel_bytes) {
  reserve(shape, pixel_bytes);
  std::unique_ptr<Plan>& plan = plans_[shape];
  if (plan == nullptr) plan = std::make_unique<Plan>(*this, shape);
  return *plan;
}

// All shapes share the blocks. Where one has to grow, what was recorded for the old one goes first.
void CudaBackend::reserve(const BatchShape& shape, std::size_t pixel_bytes) {
  const std::size_t pixels = std::max(pixel_bytes, pixel_capacity_);
  const BatchBytes needed(shape, pixels, network_);
  const bool fits = pixels == pixel_capacity_ && needed.input <= input_.bytes() && needed.output <= output_.bytes() &&
                    needed.workspace <= workspace_.bytes();
  if (fits) return;
  plans_.clear();
  const auto grow = [&](DeviceBlock& block, std::size_t bytes, DeviceBlock::Place place) {
    if (block.bytes() >= bytes) return;
    block = {};
    block = DeviceBlock(*runtime_, bytes, place);
  };
  grow(workspace_, needed.workspace, DeviceBlock::Place::kDevice);
  grow(input_, needed.input, DeviceBlock::Place::kDevice);
  grow(output_, needed.output, DeviceBlock::Place::kDevice);
  grow(host_input_, needed.input, DeviceBlock::Place::kPinned);
  grow(host_output_, needed.output, DeviceBlock::Place::kPinned);
  pixel_capacity_ = pixels;
}

void CudaBackend::release_blocks() {
  plans_.clear();
  for (DeviceBlock* block : {&workspace_, &input_, &output_, &host_input_, &host_output_}) *block = {};
  pixel_capacity_ = 0;
}

void CudaBackend::fill_input(std::span<const Sample> batch, const Plan& plan) {
  const InputBuffers& input = plan.host_input;
  std::size_t image = 0;
  std::size_t offset = 0;
  for (std::size_t sample = 0; sample < batch.size(); ++sample) {
    std::vector<Camera> cameras;
    for (const View& view : batch[sample].views) {
      cameras.push_back(camera_from_row(view.camera));
      input.images[image] = {.offset = offset, .width = view.image.width, .height = view.image.height};
      std::ranges::copy(row_taps(view.image.height), input.rows + image * kResizedSide);
      std::ranges::copy(column_taps(view.image.width), input.columns + image * kResizedSide);
      std::ranges::copy(view.image.rgba, input.pixels + offset);
      offset += view.image.rgba.size();
      ++image;
    }
    const std::size_t first_view = sample * cameras.size();
    std::ranges::copy(view_transforms(cameras, stage1_rules(network_.semantics)), input.stage1 + first_view);
    std::ranges::copy(view_transforms(cameras, stage2_rules(network_.semantics)), input.stage2 + first_view);
  }
}

void CudaBackend::add_times(PartTimes& times, double filling_ms) {
  const auto between = [&](Moment begin, Moment end) {
    return runtime_->milliseconds_between(*moments_[static_cast<std::size_t>(begin)],
                                          *moments_[static_cast<std::size_t>(end)]);
  };
  times[Part::kCopyIn] += filling_ms + runtime_->milliseconds_between(*copied_in_begin_, *copied_in_end_);
  times[Part::kPreprocess] += between(Moment::kBegin, Moment::kPreprocessed);
  times[Part::kCnn1] += between(Moment::kPreprocessed, Moment::kCnn1);
  times[Part::kGcn] += between(Moment::kCnn1, Moment::kGcn);
  times[Part::kCnn2] += between(Moment::kCnn2Begin, Moment::kCnn2End);
  times[Part::kDrb] += between(Moment::kGcn, Moment::kEnd);
  times[Part::kCopyOut] += runtime_->milliseconds_between(*copied_out_begin_, *copied_out_end_);
}

void CudaBackend::read_output(const Plan& plan, std::vector<Reconstruction>& results) const {
  for (int sample = 0; sample < plan.shape.samples; ++sample) {
    Reconstruction& result = results.emplace_back();
    for (std::size_t level = 0; level < network_.levels.size(); ++level) {
      const int count = network_.levels[level].vertices;
      result.coarse.push_back(points_from(plan.host_output.coarse[level] + std::ptrdiff_t{3} * sample * count, count));
    }
    const int count = network_.levels.back().vertices;
    for (const float* refined : plan.host_output.refined) {
      result.refined.push_back(points_from(refined + std::ptrdiff_t{3} * sample * count, count));
    }
  }
}

}  // namespace p2mpp
