#include "backends/cuda/slot.h"

#include <algorithm>
#include <chrono>

#include "backends/common/preprocess.h"
#include "backends/common/projection.h"
#include "backends/cuda/pass_order.h"
#include "base/clock.h"
#include "model/model.h"

namespace p2mpp {
namespace {

// The time of a part of a batch, between two events.
struct PartSpan {
  Part part;
  PassEvent begin, end;
};
constexpr std::array kPartSpans = {PartSpan{Part::kCopyIn, PassEvent::kCopyInBegin, PassEvent::kCopyInEnd},
                                   PartSpan{Part::kPreprocess, PassEvent::kBegin, PassEvent::kPreprocessed},
                                   PartSpan{Part::kCnn1, PassEvent::kPreprocessed, PassEvent::kCnn1},
                                   PartSpan{Part::kGcn, PassEvent::kCnn1, PassEvent::kGcn},
                                   PartSpan{Part::kCnn2, PassEvent::kCnn2Begin, PassEvent::kCnn2End},
                                   PartSpan{Part::kDrb, PassEvent::kGcn, PassEvent::kEnd},
                                   PartSpan{Part::kCopyOut, PassEvent::kCopyOutBegin, PassEvent::kCopyOutEnd}};

Points points_from(const float* values, int count) {
  Points points(static_cast<std::size_t>(count));
  std::copy_n(values, 3 * points.size(), points.front().data());
  return points;
}

void grow(DeviceRuntime& runtime, DeviceBlock& block, std::size_t bytes, DeviceBlock::Place place) {
  if (block.bytes() >= bytes) return;
  block = {};
  block = DeviceBlock(runtime, bytes, place);
}

}  // namespace

std::size_t count_pixel_bytes(std::span<const Sample> batch) {
  std::size_t bytes = 0;
  const auto views = static_cast<std::size_t>(find_shape(batch).views());
  for (const Sample& sample : batch) {
    for (const View& view : std::span(sample.views).first(views)) bytes += view.image.rgba.size();
  }
  return bytes;
}

BatchShape find_shape(std::span<const Sample> batch) {
  const Sample& first = batch.front();
  return {.samples = static_cast<int>(batch.size()),
          .views1 = static_cast<int>(views_read(first, 1)),
          .views2 = static_cast<int>(views_read(first, 2)),
          .vertices = first.initial_mesh ? static_cast<int>(first.initial_mesh->vertices.size()) : 0};
}

/// Everything prepared for batches of one shape. Pointers refer to the slot's blocks and the workspace.
struct Slot::Plan {
  Plan(const Slot& slot, const BatchShape& batch_shape, const DeviceBlock& workspace_block)
      : shape(batch_shape),
        input_arena(slot.input_.data()),
        host_input_arena(slot.host_input_.data()),
        output_arena(slot.output_.data()),
        host_output_arena(slot.host_output_.data()),
        workspace_arena(workspace_block.data()),
        input(input_arena, shape, slot.network_->levels.size(), slot.pixel_capacity_),
        host_input(host_input_arena, shape, slot.network_->levels.size(), slot.pixel_capacity_),
        output(output_arena, shape, *slot.network_),
        host_output(host_output_arena, shape, *slot.network_),
        workspace(workspace_arena, shape, *slot.network_),
        pass(*slot.runtime_, *slot.network_, shape, input, workspace, output) {}

  /// Bytes of the input with `pixel_bytes` bytes of pixels.
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

bool Slot::has_room(const BatchShape& shape, std::size_t pixel_bytes) const {
  const BatchBytes needed(shape, pixel_capacity_, *network_);
  return pixel_bytes <= pixel_capacity_ && needed.input <= host_input_.bytes() && needed.output <= host_output_.bytes();
}

void Slot::make_room(const BatchShape& shape, std::size_t pixel_bytes) {
  forget_plans();
  const std::size_t pixels = std::max(pixel_bytes, pixel_capacity_);
  const BatchBytes needed(shape, pixels, *network_);
  grow(*runtime_, input_, needed.input, DeviceBlock::Place::kDevice);
  grow(*runtime_, output_, needed.output, DeviceBlock::Place::kDevice);
  grow(*runtime_, host_input_, needed.input, DeviceBlock::Place::kPinned);
  grow(*runtime_, host_output_, needed.output, DeviceBlock::Place::kPinned);
  pixel_capacity_ = pixels;
}

std::size_t Slot::growth_for(const BatchBytes& needed) const {
  return needed.input - std::min(needed.input, input_.bytes()) + needed.output -
         std::min(needed.output, output_.bytes());
}

void Slot::release() {
  forget_plans();
  for (DeviceBlock* block : {&input_, &output_, &host_input_, &host_output_}) *block = {};
  pixel_capacity_ = 0;
}

Slot::Plan& Slot::plan_for(const BatchShape& shape, const DeviceBlock& workspace) {
  if (shape.has_initial_mesh()) {  // hardly two meshes have the same number of vertices
    queued_ = std::make_shared<Plan>(*this, shape, workspace);
  } else {
    std::shared_ptr<Plan>& plan = plans_[shape];
    if (plan == nullptr) plan = std::make_shared<Plan>(*this, shape, workspace);
    queued_ = plan;
  }
  return *queued_;
}

void Slot::queue(std::span<const Sample> batch, const DeviceBlock& workspace, DeviceEvent& pass_end, bool recorded,
                 Intermediates* intermediates) {
  Plan& plan = plan_for(find_shape(batch), workspace);
  recorded = recorded && !plan.shape.has_initial_mesh();
  const auto begin = Clock::now();
  {
    const DeviceRange range(*runtime_, "fill the input");
    fill_input(batch, plan);
  }
  filling_ms_ = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  if (recorded && plan.graph == nullptr) record(plan);
  const DeviceRange range(*runtime_, "queue a batch");
  const DeviceStream copy_in = runtime_->stream(kCopyInStream);
  const DeviceStream compute = runtime_->stream(kComputeStream);
  const DeviceStream copy_out = runtime_->stream(kCopyOutStream);
  runtime_->record(events_[PassEvent::kCopyInBegin], copy_in);
  runtime_->copy_to_device(input_.data(), host_input_.data(), plan.input_bytes(count_pixel_bytes(batch)), copy_in);
  runtime_->record(events_[PassEvent::kCopyInEnd], copy_in);
  runtime_->wait_for(compute, copy_in);
  runtime_->pass_order().queue(*runtime_, pass_end, [&] {
    if (recorded) {
      runtime_->launch(*plan.graph, compute);
    } else {
      plan.pass.queue(events_, intermediates);
    }
  });
  runtime_->wait_for(copy_out, compute);
  runtime_->record(events_[PassEvent::kCopyOutBegin], copy_out);
  runtime_->copy_to_host(host_output_.data(), output_.data(), plan.output_arena.bytes(), copy_out);
  runtime_->record(events_[PassEvent::kCopyOutEnd], copy_out);
}

// Ends the recording on failure: a stream that keeps recording would be unusable.
void Slot::record(Plan& plan) {
  runtime_->begin_recording();
  try {
    plan.pass.queue(events_, nullptr);
  } catch (...) {
    try {
      static_cast<void>(runtime_->end_recording());
    } catch (const Error&) {  // the first error is more informative
    }
    throw;
  }
  plan.graph = runtime_->end_recording();
}

void Slot::fill_input(std::span<const Sample> batch, const Plan& plan) {
  const InputBuffers& input = plan.host_input;
  std::fill_n(input.arrivals, network_->levels.size() * batch.size(), 0U);
  std::size_t image = 0;
  std::size_t offset = 0;
  const int views1 = plan.shape.views1;
  const int views2 = plan.shape.views2;
  for (int sample = 0; sample < plan.shape.samples; ++sample) {
    for (int i = 0; i < plan.shape.views(); ++i) {
      const View& view = batch[static_cast<std::size_t>(sample)].views[static_cast<std::size_t>(i)];
      input.images[image] = {.offset = offset,
                             .width = view.image.width,
                             .height = view.image.height,
                             .mask = mask_source(view.image, network_->image_rules),
                             .stage1 = i < views1 ? sample * views1 + i : -1,
                             .stage2 = i < views2 ? sample * views2 + i : -1};
      std::ranges::copy(row_taps(view.image.height), input.rows + image * kResizedSide);
      std::ranges::copy(column_taps(view.image.width), input.columns + image * kResizedSide);
      std::ranges::copy(view.image.rgba, input.pixels + offset);
      offset += view.image.rgba.size();
      ++image;
    }
    const Sample& from = batch[static_cast<std::size_t>(sample)];
    std::ranges::copy(view_transforms(cameras_of(from, 1), stage1_rules(network_->semantics)),
                      input.stage1 + std::ptrdiff_t{views1} * sample);
    std::ranges::copy(view_transforms(cameras_of(from, 2), stage2_rules(network_->semantics)),
                      input.stage2 + std::ptrdiff_t{views2} * sample);
  }
  if (plan.shape.has_initial_mesh()) {
    const Points vertices = initial_vertices(batch.front());
    std::copy_n(vertices.front().data(), 3 * vertices.size(), input.vertices);
  }
}

void Slot::finish(ComputedBatch& computed, bool watched) {
  {
    const DeviceRange range(*runtime_, "wait for the device");
    runtime_->wait(events_[PassEvent::kCopyOutEnd]);
  }
  add_times(computed.times);
  if (watched) add_spans(computed.spans);
  read_output(computed.reconstructions);
}

void Slot::add_times(PartTimes& times) const {
  times[Part::kCopyIn] += filling_ms_;
  for (const PartSpan& span : kPartSpans) {
    times[span.part] += runtime_->milliseconds_between(events_[span.begin], events_[span.end]);
  }
}

void Slot::add_spans(std::vector<DeviceSpan>& spans) const {
  for (const PartSpan& span : kPartSpans) {
    spans.push_back({.part = span.part,
                     .begin = runtime_->time_of(events_[span.begin]),
                     .end = runtime_->time_of(events_[span.end]),
                     .kernels = queued_->pass.kernels(span.part)});
  }
}

void Slot::read_output(std::vector<Reconstruction>& results) const {
  for (int sample = 0; sample < queued_->shape.samples; ++sample) {
    Reconstruction& result = results.emplace_back();
    for (std::size_t level = 0; level < queued_->output.coarse.size(); ++level) {
      const int count = network_->levels[level].vertices;
      result.coarse.push_back(
          points_from(queued_->host_output.coarse[level] + std::ptrdiff_t{3} * sample * count, count));
    }
    const bool initial = queued_->shape.has_initial_mesh();
    const int count = initial ? queued_->shape.vertices : network_->levels.back().vertices;
    for (const float* refined : queued_->host_output.refined) {
      result.refined.push_back(points_from(refined + std::ptrdiff_t{3} * sample * count, count));
    }
  }
}

}  // namespace p2mpp
