#pragma once

#include <deque>
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

  /// Batches that are computed sooner if they are submitted before the one ahead of them is collected.
  [[nodiscard]] virtual std::size_t batches_in_flight() const = 0;

  /// Begins samples that all have the same number of views. They, and `intermediates`, which is filled for the first of
  /// them where given, stay where they are until they are collected. What goes wrong is told then.
  virtual void submit(std::span<const Sample> batch, Intermediates* intermediates = nullptr) = 0;

  /// Waits for the batch that was submitted first of those that are left, of which there must be one. Samples that do
  /// not fit into the device's memory together are computed in parts. Throws Error if the device failed with them, or a
  /// single sample does not fit; the other batches are still there.
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

/// One that does everything when it is asked for the result. All in this header: its heirs are in other libraries.
class SynchronousBackend : public Backend {
 public:
  [[nodiscard]] std::size_t batches_in_flight() const final { return 1; }

  void submit(std::span<const Sample> batch, Intermediates* intermediates) final {
    submitted_.push_back({batch, intermediates});
  }

  [[nodiscard]] ComputedBatch collect() final {
    const auto [batch, intermediates] = submitted_.front();
    submitted_.pop_front();
    ComputedBatch computed;
    computed.reconstructions = compute(batch, computed.times, intermediates);
    return computed;
  }

 protected:
  virtual std::vector<Reconstruction> compute(std::span<const Sample> batch, PartTimes& times,
                                              Intermediates* intermediates) = 0;

 private:
  struct Submitted {
    std::span<const Sample> batch;
    Intermediates* intermediates;
  };
  std::deque<Submitted> submitted_;
};

/// Bytes of an RGBA image of the size that the network sees, which stands for all where their sizes are not known yet.
inline constexpr std::size_t kTypicalImageBytes = static_cast<std::size_t>(4 * kImageSize * kImageSize);

/// Backend::memory_for() where the host computes samples one by one: more of them take no more than their images.
[[nodiscard]] inline BatchMemory host_memory_for(std::size_t samples, std::size_t views) {
  return {.device = host_memory(), .needed = samples * views * kTypicalImageBytes};
}

}  // namespace p2mpp
