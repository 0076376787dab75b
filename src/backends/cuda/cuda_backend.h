#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <exception>
#include <memory>

#include "backends/cuda/slot.h"

namespace p2mpp {

/// The `fused` backend on a CUDA device or its emulation. A batch is one copy to the device, one CUDA graph with the
/// whole network, and one copy back. Two batches are in flight: while one computes, the next one is filled and copied
/// in and the previous one is copied out. A sample's bytes do not depend on its batch. Several backends may share a
/// device, each with its own runtime: PassOrder runs their passes one after another.
class CudaBackend : public Backend {
 public:
  /// kOneByOne records no graph: the host launches every kernel. For tools that inspect single kernels.
  enum class Launching { kRecorded, kOneByOne };

  /// Throws as ResidentNetwork does, OutOfDeviceMemory if the weights do not fit, and UsageError if a block does not
  /// fit into the device's shared memory.
  CudaBackend(std::unique_ptr<DeviceRuntime> runtime, const Model& model, Precision precision,
              Launching launching = Launching::kRecorded);
  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;
  ~CudaBackend() override;

  [[nodiscard]] std::size_t batches_in_flight() const override { return kSlots; }
  /// A batch that does not fit into the device's memory is halved. A larger batch is never tried again.
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
    std::size_t queued = 0;            // samples; queued in pieces if there is no room for all
    std::size_t pieces_in_flight = 0;  // pieces of this batch in slots
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
  DeviceBlock workspace_;  // of the compute stream, which runs one batch at a time
  std::array<Slot, kSlots> slots_;
  std::unique_ptr<DeviceEvent> pass_end_;
  std::size_t usable_slots_ = kSlots;  // 1 if the memory does not suffice for more
  std::size_t next_slot_ = 0;
  std::atomic<std::size_t> device_bytes_ = 0;
  std::deque<Submitted> submitted_;
  std::deque<Piece> in_flight_;  // oldest first
};

}  // namespace p2mpp
