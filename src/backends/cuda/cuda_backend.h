#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <exception>
#include <memory>

#include "backends/cuda/slot.h"

namespace p2mpp {

/// `fused` on a CUDA device, or on the emulation of one: the whole network for a batch is one recorded graph, launched
/// between one copy in and one copy out. Two batches are on their way at a time: while one computes, the next is filled
/// and copied in, and the last is copied out. A sample's bytes depend neither on its batch nor on others. Several of
/// them may share a device, each with a runtime of its own: their passes follow each other (PassOrder).
class CudaBackend : public Backend {
 public:
  /// One by one: nothing is recorded, every kernel is launched by the host; for what looks at single kernels.
  enum class Launching { kRecorded, kOneByOne };

  /// Throws what ResidentNetwork throws, OutOfDeviceMemory where the weights do not fit, UsageError for a block that
  /// does not fit into the device's shared memory.
  CudaBackend(std::unique_ptr<DeviceRuntime> runtime, const Model& model, Precision precision,
              Launching launching = Launching::kRecorded);
  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;
  ~CudaBackend() override;

  [[nodiscard]] std::size_t batches_in_flight() const override { return kSlots; }
  /// A batch that does not fit into the device's memory is halved, and no larger one is tried again.
  void submit(std::span<const Sample> batch, Intermediates* intermediates = nullptr) override;
  [[nodiscard]] ComputedBatch collect() override;
  [[nodiscard]] BatchMemory memory_for(std::size_t samples, std::size_t views) override;
  [[nodiscard]] std::size_t largest_batch() const override { return largest_batch_; }
  void watch_device() override { is_watched_ = true; }
  [[nodiscard]] std::size_t device_bytes() const override { return device_bytes_; }

 private:
  static constexpr std::size_t kSlots = 2;

  struct Submitted {
    std::span<const Sample> samples;
    Intermediates* intermediates;
    ComputedBatch computed = {};
    std::size_t queued = 0;            // samples; they are queued in pieces where there is no room for all
    std::size_t pieces_in_flight = 0;  // that are in a slot
    std::exception_ptr failure = nullptr;

    [[nodiscard]] bool waits() const { return failure == nullptr && queued < samples.size(); }
  };
  struct Piece {
    Submitted* batch;
    Slot* slot;
  };

  void queue_what_has_room();
  void queue_piece(Submitted& batch);
  void reserve(Slot& slot, std::span<const Sample> piece);
  void use_less_memory(Submitted& batch, std::size_t piece_size);
  void finish_oldest();
  void finish_all();
  void wait_for_streams() noexcept;
  void count_bytes();

  std::unique_ptr<DeviceRuntime> runtime_;
  Launching launching_;
  bool is_watched_ = false;
  ResidentNetwork network_;
  std::size_t largest_batch_;
  DeviceBlock workspace_;  // of the compute stream, which takes one batch after the other
  std::array<Slot, kSlots> slots_;
  std::unique_ptr<DeviceEvent> pass_end_;
  std::size_t usable_slots_ = kSlots;  // one, where there is not the memory for more
  std::size_t next_slot_ = 0;
  std::atomic<std::size_t> device_bytes_ = 0;
  std::deque<Submitted> submitted_;
  std::deque<Piece> in_flight_;  // the oldest first
};

}  // namespace p2mpp
