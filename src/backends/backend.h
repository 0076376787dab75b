#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "p2mpp/camera.h"
#include "p2mpp/device.h"
#include "p2mpp/device_span.h"
#include "p2mpp/instruction_set.h"
#include "p2mpp/model.h"
#include "p2mpp/precision.h"
#include "p2mpp/reconstruction.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// What happens on the way, for holding one backend against another or against golden values. Row-major floats of one
/// sample; stage 2's are after each deformation reasoning block.
struct Intermediates {
  std::vector<float> stage1_projection;               ///< [N0, 3 + 3 * channels] that enters the first block
  std::vector<std::vector<float>> stage2_projection;  ///< [N, S, 3 + 3 * channels]
  std::vector<std::vector<float>> scores;             ///< [N, S] that enter the softmax
};

struct BackendOptions {
  Device device;
  Precision precision = Precision::kFp32;
  int threads = 1;                                                    ///< of the CPU
  InstructionSet instruction_set = usable_instruction_sets().back();  ///< of the CPU, for the kernels that are ours
};

/// What a batch takes of the memory of the device that computes it.
struct BatchMemory {
  MemoryState device;        ///< now, whoever uses it
  std::uint64_t needed = 0;  ///< bytes, beyond those in use now
};

/// What a backend made of a batch.
struct ComputedBatch {
  std::vector<Reconstruction> reconstructions;
  PartTimes times;                     ///< milliseconds of the whole batch
  std::vector<DeviceSpan> spans = {};  ///< where the device is watched, and can be
};

/// Computes the network on one device. What it needs is resident once it is constructed. One thread at a time.
class Backend {
 public:
  virtual ~Backend() = default;

  /// Number of batches in flight that keeps the device busy, which is also the most that submit() accepts.
  [[nodiscard]] virtual std::size_t batches_in_flight() const = 0;

  /// Begins a batch of samples of kMinViews to kMaxViews views each. They, and `intermediates`, which is filled for the
  /// first of them where given, stay where they are until they are collected. A failure is reported by collect().
  /// Precondition: fewer than batches_in_flight() batches are in flight.
  virtual void submit(std::span<const Sample> batch, Intermediates* intermediates = nullptr) = 0;

  /// Waits for the oldest batch in flight, and gives a reconstruction for each of its samples. Samples that do not fit
  /// into the device's memory together, or differ in their number of views, are computed in pieces. Throws Error if the
  /// device failed with the batch, or a single sample does not fit; the other batch is not affected. Precondition: a
  /// batch is in flight.
  [[nodiscard]] virtual ComputedBatch collect() = 0;

  /// What batches of so many samples of so many views take, with images of kTypicalImageBytes.
  [[nodiscard]] virtual BatchMemory memory_for(std::size_t samples, std::size_t views) = 0;

  /// The largest batch that is computed together: where the memory did not suffice for one, less than that.
  [[nodiscard]] virtual std::size_t largest_batch() const { return std::numeric_limits<std::size_t>::max(); }

  /// From now on what is collected says when the device did what. Nothing where the backend does not know.
  virtual void watch_device() {}

  /// Of the device's memory, taken by this backend now; 0 where it does not know. For any thread.
  [[nodiscard]] virtual std::size_t device_bytes() const { return 0; }

  /// One batch, while there is no other; `times` gets its milliseconds added.
  [[nodiscard]] std::vector<Reconstruction> run(std::span<const Sample> batch, PartTimes& times,
                                                Intermediates* intermediates = nullptr) {
    submit(batch, intermediates);
    ComputedBatch computed = collect();
    times += computed.times;
    return std::move(computed.reconstructions);
  }
};

/// The piece at the front of a batch that a device computes together: samples with the same number of views, `largest`
/// of them at most.
[[nodiscard]] inline std::span<const Sample> leading_piece(std::span<const Sample> batch, std::size_t largest) {
  const std::size_t views = batch.front().views.size();
  const auto limited = batch.first(std::min(batch.size(), largest));
  return {limited.begin(),
          std::ranges::find_if(limited, [views](const Sample& sample) { return sample.views.size() != views; })};
}

/// A backend that computes a batch when it is collected. All in this header: its subclasses are in other libraries.
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

/// Bytes of an RGBA image of the size that the network sees, which stands for all where their sizes are not known yet.
inline constexpr std::size_t kTypicalImageBytes = static_cast<std::size_t>(4 * kImageSize * kImageSize);

/// Backend::memory_for() where the host computes samples one by one: more of them take no more than their images.
[[nodiscard]] inline BatchMemory host_memory_for(std::size_t samples, std::size_t views) {
  return {.device = host_memory(), .needed = samples * views * kTypicalImageBytes};
}

}  // namespace p2mpp
