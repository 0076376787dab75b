#pragma once

#include <map>
#include <memory>

#include "backend/cuda/forward_pass.h"

namespace p2mpp {

/// `fused` on a CUDA device, or on the emulation of one: the whole network for a batch is one recorded graph, launched
/// between one copy in and one copy out. A sample's bytes do not depend on its batch.
class CudaBackend : public Backend {
 public:
  /// One by one: nothing is recorded, every kernel is launched by the host; for what looks at single kernels.
  enum class Launching { kRecorded, kOneByOne };

  /// Throws what ResidentNetwork throws, OutOfDeviceMemory where the weights do not fit, UsageError for a block that
  /// does not fit into the device's shared memory.
  CudaBackend(std::unique_ptr<DeviceRuntime> runtime, const Model& model, Precision precision,
              Launching launching = Launching::kRecorded);
  ~CudaBackend() override;

  /// A batch that does not fit into the device's memory is halved, and no larger one is tried again.
  [[nodiscard]] std::vector<Reconstruction> run(std::span<const Sample> batch, PartTimes& times,
                                                Intermediates* intermediates) override;

  [[nodiscard]] BatchMemory memory_for(std::size_t samples, std::size_t views) override;
  [[nodiscard]] std::size_t largest_batch() const override { return largest_batch_; }

 private:
  struct Plan;

  void run_some(std::span<const Sample> batch, PartTimes& times, Intermediates* intermediates,
                std::vector<Reconstruction>& results);
  void run_together(std::span<const Sample> batch, PartTimes& times, Intermediates* intermediates,
                    std::vector<Reconstruction>& results);
  Plan& plan_for(const BatchShape& shape, std::size_t pixel_bytes);
  void reserve(const BatchShape& shape, std::size_t pixel_bytes);
  void release_blocks();
  void fill_input(std::span<const Sample> batch, const Plan& plan);
  void add_times(PartTimes& times, double filling_ms);
  void read_output(const Plan& plan, std::vector<Reconstruction>& results) const;

  std::unique_ptr<DeviceRuntime> runtime_;
  Launching launching_;
  ResidentNetwork network_;
  std::size_t largest_batch_;
  std::size_t pixel_capacity_ = 0;
  DeviceBlock workspace_, input_, output_, host_input_, host_output_;
  std::map<BatchShape, std::unique_ptr<Plan>> plans_;
  Moments moments_;
  std::unique_ptr<DeviceMark> copied_in_begin_, copied_in_end_, copied_out_begin_, copied_out_end_;
};

}  // namespace p2mpp
