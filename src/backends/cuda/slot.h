#pragma once

#include <map>
#include <memory>
#include <vector>

#include "backends/cuda/forward_pass.h"

namespace p2mpp {

/// The resources of one batch in flight: its input and output, on the device and in pinned memory, and the recorded
/// passes that use them. The host fills one slot while the device computes the batch of another.
class Slot {
 public:
  /// The references must outlive this object.
  Slot(DeviceRuntime& runtime, const ResidentNetwork& network)
      : runtime_(&runtime), network_(&network), events_(runtime) {}

  /// Whether a batch of this shape with this many bytes of pixels fits.
  [[nodiscard]] bool has_room(const BatchShape& shape, std::size_t pixel_bytes) const;
  /// Allocates the memory. Throws OutOfDeviceMemory. Precondition: no batch is in flight in this slot.
  void make_room(const BatchShape& shape, std::size_t pixel_bytes);
  void release();
  /// Bytes of device memory that make_room() would allocate in addition.
  [[nodiscard]] std::size_t growth_for(const BatchBytes& needed) const;
  /// Call when the workspace moves, because plans point into it.
  void forget_plans() { plans_.clear(); }
  /// Bytes of device memory.
  [[nodiscard]] std::size_t bytes() const { return input_.bytes() + output_.bytes(); }

  /// Queues a batch that fits: copy in, pass, copy out, each in its own stream. The workspace belongs to the compute
  /// stream; `pass_end` belongs to the engine, whose passes PassOrder orders. Without `recorded`, or with
  /// `intermediates`, the host launches every kernel. The samples are not needed after the call.
  void queue(std::span<const Sample> batch, const DeviceBlock& workspace, DeviceEvent& pass_end, bool recorded,
             Intermediates* intermediates);

  /// Waits for the piece in flight and appends its results to its batch; if `watched`, also when the device was busy.
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
  std::shared_ptr<Plan> queued_;  // plan of the batch in flight
  double filling_ms_ = 0;         // milliseconds to fill its input
};

/// Bytes of the images that are read.
[[nodiscard]] std::size_t count_pixel_bytes(std::span<const Sample> batch);
[[nodiscard]] BatchShape find_shape(std::span<const Sample> batch);

}  // namespace p2mpp
