#include "backends/cuda/cuda_backend.h"

#include <algorithm>
#include <limits>

#include "backends/cuda/pass_order.h"
namespace p2mpp {

CudaBackend::CudaBackend(std::unique_ptr<DeviceRuntime> runtime, const Model& model, Precision precision,
                         Launching launching)
    : runtime_((runtime->use(), std::move(runtime))),
      launching_(launching),
      network_(*runtime_, model, list_arithmetics(precision)),
      largest_batch_(std::numeric_limits<std::size_t>::max()),
      slots_{Slot(*runtime_, network_), Slot(*runtime_, network_)},
      pass_end_(runtime_->make_event()) {
  count_bytes();
}

// Memory must not be released while the device still uses it.
CudaBackend::~CudaBackend() {
  wait_for_streams();
  runtime_->pass_order().forget(*pass_end_);
}

void CudaBackend::wait_for_streams() noexcept {
  for (int index = 0; index < kStreamCount; ++index) {
    try {
      runtime_->synchronize(runtime_->stream(index));
    } catch (const Error&) {  // a failed device no longer uses the memory
    }
  }
}

void CudaBackend::submit(std::span<const Sample> batch, Intermediates* intermediates) {
  submitted_.push_back({.samples = batch, .intermediates = intermediates});
  queue_what_has_room();
}

ComputedBatch CudaBackend::collect() {
  Submitted& batch = submitted_.front();
  for (;;) {
    queue_what_has_room();
    if (!batch.waits() && batch.pieces_in_flight == 0) break;
    finish_oldest();
  }
  Submitted collected = std::move(batch);
  submitted_.pop_front();
  if (collected.failure) std::rethrow_exception(collected.failure);
  return std::move(collected.computed);
}

BatchMemory CudaBackend::memory_for(std::size_t samples, std::size_t views) {
  runtime_->use();
  const BatchShape shape{static_cast<int>(samples), static_cast<int>(views), static_cast<int>(views)};
  const BatchBytes bytes(shape, samples * views * kTypicalImageBytes, network_);
  std::size_t growth = bytes.workspace - std::min(bytes.workspace, workspace_.bytes());
  for (std::size_t i = 0; i < usable_slots_; ++i) growth += slots_[i].growth_for(bytes);
  return {.device = runtime_->memory(), .needed = growth};
}

void CudaBackend::queue_what_has_room() {
  for (Submitted& batch : submitted_) {
    while (batch.waits()) {
      if (in_flight_.size() >= usable_slots_) return;
      queue_piece(batch);
    }
  }
}

void CudaBackend::queue_piece(Submitted& batch) {
  const std::span<const Sample> piece = leading_piece(batch.samples.subspan(batch.queued), largest_batch_);
  Slot& slot = slots_[next_slot_];
  Intermediates* intermediates = batch.queued == 0 ? batch.intermediates : nullptr;
  try {
    runtime_->use();
    reserve(slot, piece);
    const bool recorded = launching_ == Launching::kRecorded && intermediates == nullptr;
    slot.queue(piece, workspace_, *pass_end_, recorded, intermediates);
    in_flight_.push_back({&batch, &slot});
    batch.queued += piece.size();
    ++batch.pieces_in_flight;
    next_slot_ = (next_slot_ + 1) % usable_slots_;
  } catch (const OutOfDeviceMemory&) {
    use_less_memory(batch, piece.size());
  } catch (...) {
    wait_for_streams();  // a part of the piece may have been queued
    batch.failure = std::current_exception();
  }
}

// All shapes share these blocks. A block can grow only while nothing is in flight.
void CudaBackend::reserve(Slot& slot, std::span<const Sample> piece) {
  const BatchShape shape = find_shape(piece);
  const std::size_t pixel_bytes = count_pixel_bytes(piece);
  const std::size_t needed = BatchBytes(shape, pixel_bytes, network_).workspace;
  const bool has_workspace = needed <= workspace_.bytes();
  const bool has_room = slot.has_room(shape, pixel_bytes);
  if (has_workspace && has_room) return;
  finish_all();
  if (!has_workspace) {
    for (Slot& each : slots_) each.forget_plans();
    workspace_ = {};
    workspace_ = DeviceBlock(*runtime_, needed);
  }
  if (!has_room) slot.make_room(shape, pixel_bytes);
  count_bytes();
}

void CudaBackend::count_bytes() {
  std::size_t bytes = network_.bytes() + workspace_.bytes();
  for (const Slot& slot : slots_) bytes += slot.bytes();
  device_bytes_ = bytes;
}

// Called while OutOfDeviceMemory is handled. Releases everything that was allocated for larger pieces, then halves the
// pieces, then uses a single slot. If that fails, the sample itself is too large.
void CudaBackend::use_less_memory(Submitted& batch, std::size_t piece_size) {
  wait_for_streams();
  finish_all();
  for (Slot& each : slots_) each.release();
  workspace_ = {};
  count_bytes();
  next_slot_ = 0;
  if (piece_size > 1) {
    largest_batch_ = piece_size / 2;
  } else if (usable_slots_ > 1) {
    usable_slots_ = 1;
  } else {
    usable_slots_ = kSlots;  // for later batches, which may be smaller
    batch.failure = std::current_exception();
  }
}

void CudaBackend::finish_oldest() {
  const Piece piece = in_flight_.front();
  in_flight_.pop_front();
  Submitted& batch = *piece.batch;
  --batch.pieces_in_flight;
  try {
    runtime_->use();
    piece.slot->finish(batch.computed, is_watched_);
  } catch (...) {
    if (!batch.failure) batch.failure = std::current_exception();
  }
}

void CudaBackend::finish_all() {
  while (!in_flight_.empty()) finish_oldest();
}

}  // namespace p2mpp
