#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "base/machine/host.h"
#include "base/machine/instruction_set.h"
#include "model/model.h"
#include "p2mpp/camera.h"
#include "p2mpp/device.h"
#include "p2mpp/device_span.h"
#include "p2mpp/instruction_set.h"
#include "p2mpp/precision.h"
#include "p2mpp/reconstruction.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// Intermediate results for comparing backends with each other or with golden values. Row-major floats of one sample;
/// stage 2 has one entry for each deformation reasoning block.
struct Intermediates {
  std::vector<float> stage1_projection;               ///< [N0, 3 + 3 * channels], the first block's input
  std::vector<std::vector<float>> stage2_projection;  ///< [N, S, 3 + 3 * channels]
  std::vector<std::vector<float>> scores;             ///< [N, S], the softmax's input
};

struct BackendOptions {
  Device device;
  Precision precision = Precision::kFp32;
  int threads = 1;                                                    ///< CPU threads
  InstructionSet instruction_set = usable_instruction_sets().back();  ///< of the fused backend's CPU kernels
};

/// The device memory that a batch needs.
struct BatchMemory {
  MemoryState device;        ///< current state, including other processes
  std::uint64_t needed = 0;  ///< bytes, in addition to those in use now
};

/// The results of a batch.
struct ComputedBatch {
  std::vector<Reconstruction> reconstructions;
  PartTimes times;                     ///< milliseconds, summed over the batch
  std::vector<DeviceSpan> spans = {};  ///< after watch_device(), if the backend can measure them
};

/// Computes the network on one device. The constructor loads everything it needs onto the device. Not thread-safe,
/// except where a function says otherwise.
class Backend {
 public:
  virtual ~Backend() = default;

  /// Number of batches in flight that keeps the device busy. It is also the maximum that submit() accepts.
  [[nodiscard]] virtual std::size_t batches_in_flight() const = 0;

  /// Starts a batch of samples with kMinViews to kMaxViews views each. The samples and `intermediates` must stay valid
  /// until the batch is collected. `intermediates` may be null; otherwise it receives the first sample's. Failures are
  /// reported by collect(). Precondition: fewer than batches_in_flight() batches are in flight.
  virtual void submit(std::span<const Sample> batch, Intermediates* intermediates = nullptr) = 0;

  /// Waits for the oldest batch in flight and returns one reconstruction per sample. A batch that does not fit into the
  /// device's memory, or whose samples differ in their number of views, is computed in pieces. Throws Error if the
  /// device failed on this batch or a single sample does not fit; other batches in flight are not affected.
  /// Precondition: a batch is in flight.
  [[nodiscard]] virtual ComputedBatch collect() = 0;

  /// The memory that a batch of `samples` samples with `views` views each needs, with images of kTypicalImageBytes.
  [[nodiscard]] virtual BatchMemory memory_for(std::size_t samples, std::size_t views) = 0;

  /// The largest number of samples computed together. It shrinks when the device runs out of memory.
  [[nodiscard]] virtual std::size_t largest_batch() const { return std::numeric_limits<std::size_t>::max(); }

  /// After this call, collect() also reports the periods in which the device was busy. Does nothing if the backend
  /// cannot measure them.
  virtual void watch_device() {}

  /// Bytes of device memory that this backend holds now; 0 if unknown. Thread-safe.
  [[nodiscard]] virtual std::size_t device_bytes() const { return 0; }

  /// Submits a batch and collects it; adds its milliseconds to `times`. Precondition: no batch is in flight.
  [[nodiscard]] std::vector<Reconstruction> run(std::span<const Sample> batch, PartTimes& times,
                                                Intermediates* intermediates = nullptr) {
    submit(batch, intermediates);
    ComputedBatch computed = collect();
    times += computed.times;
    return std::move(computed.reconstructions);
  }
};

/// The first samples of a batch that a device computes together: at most `largest`, all with the same number of views
/// in each stage. A sample with an initial mesh is computed alone.
[[nodiscard]] inline std::span<const Sample> leading_piece(std::span<const Sample> batch, std::size_t largest) {
  const Sample& first = batch.front();
  if (first.initial_mesh) return batch.first(1);
  const auto differs = [&first](const Sample& sample) {
    return views_read(sample, 1) != views_read(first, 1) || views_read(sample, 2) != views_read(first, 2);
  };
  const auto limited = batch.first(std::min(batch.size(), largest));
  return {limited.begin(), std::ranges::find_if(limited, differs)};
}

/// A backend that computes a batch in collect(). It is defined entirely in this header because its subclasses live in
/// other libraries.
class SynchronousBackend : public Backend {
 public:
  [[nodiscard]] std::size_t batches_in_flight() const final { return 1; }

  void submit(std::span<const Sample> batch, Intermediates* intermediates) final {
    batch_ = batch;
    intermediates_ = intermediates;
  }

  [[nodiscard]] ComputedBatch collect() final {
    ComputedBatch computed;
    computed.reconstructions = compute(batch_, computed.times, intermediates_);
    return computed;
  }

 protected:
  virtual std::vector<Reconstruction> compute(std::span<const Sample> batch, PartTimes& times,
                                              Intermediates* intermediates) = 0;

 private:
  std::span<const Sample> batch_;  // in flight
  Intermediates* intermediates_ = nullptr;
};

/// Bytes of an RGBA image of the network's input size. Memory estimates assume it while the real sizes are unknown.
inline constexpr std::size_t kTypicalImageBytes = static_cast<std::size_t>(4 * kImageSize * kImageSize);

/// Backend::memory_for() for backends that compute samples one by one on the host: each sample adds only its images.
[[nodiscard]] inline BatchMemory host_memory_for(std::size_t samples, std::size_t views) {
  return {.device = host_memory(), .needed = samples * views * kTypicalImageBytes};
}

}  // namespace p2mpp
