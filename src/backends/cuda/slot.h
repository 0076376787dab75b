#pragma once

#include <map>
#include <memory>
#include <vector>

#include "backends/cuda/forward_pass.h"

namespace p2mpp {

/// What one batch has to itself while it is on its way: its input and output, on the device and in pinned memory, and
/// the passes that were recorded for these. The host fills one slot while the device computes another one's batch.
class Slot {
 public:
  /// Both must outlive this object.
  Slot(DeviceRuntime& runtime, const ResidentNetwork& network)
      : runtime_(&runtime), network_(&network), events_(runtime) {}

  /// Whether batches of such a shape and with so many bytes of pixels have room.
  [[nodiscard]] bool has_room(const BatchShape& shape, std::size_t pixel_bytes) const;
  /// Makes room, while the slot has no batch. Throws OutOfDeviceMemory.
  void make_room(const BatchShape& shape, std::size_t pixel_bytes);
  void release();
  /// Bytes of the device's memory that making room would take.
  [[nodiscard]] std::size_t growth_for(const BatchBytes& needed) const;
  /// For when the workspace moves: plans point into it.
  void forget_plans() { plans_.clear(); }
  /// Of the device's memory.
  [[nodiscard]] std::size_t bytes() const { return input_.bytes() + output_.bytes(); }

  /// Queues a batch that there is room for: copy in, pass, copy out, each in a stream of its own. The workspace belongs
  /// to the compute stream, `pass_end` to the engine, whose passes have their turn among those of others on the device.
  /// Without `recorded`, or with `intermediates`, every kernel is launched by itself. The samples are not needed
  /// afterwards.
  void queue(std::span<const Sample> batch, const DeviceBlock& workspace, DeviceEvent& pass_end, bool recorded,
             Intermediates* intermediates);

  /// Waits for the batch and adds its results to those of the batch that it is a part of; what the device did when,
  /// too, where it is watched.
  void finish(ComputedBatch& computed, bool watched);

 private:
  struct Plan;

  Plan& plan_for(const BatchShape& shape, const DeviceBlock& workspace);
  void record(Plan& plan);
  void fill_input(std::span<const Sample> batch, const Plan& plan);
  void add_times(PartTimes& times) const;
  void add_spans(std::vector<DeviceSpan>& spans) const;
  void read_output(std::vector<Reconstruction>& results) const;

  DeviceRuntime* runtime_;
  const ResidentNetwork* network_;
  PassEvents events_;
  std::size_t pixel_capacity_ = 0;
  DeviceBlock input_, output_, host_input_, host_output_;
  std::map<BatchShape, std::shared_ptr<Plan>> plans_;
  std::shared_ptr<Plan> queued_;  // of the batch that is on its way
  double filling_ms_ = 0;         // of that batch
};

/// Bytes of all images.
[[nodiscard]] std::size_t pixel_bytes_of(std::span<const Sample> batch);
[[nodiscard]] BatchShape shape_of(std::span<const Sample> batch);

}  // namespace p2mpp
