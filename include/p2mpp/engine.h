#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "p2mpp/device.h"
#include "p2mpp/device_span.h"
#include "p2mpp/export.h"
#include "p2mpp/frame.h"
#include "p2mpp/instruction_set.h"
#include "p2mpp/model.h"
#include "p2mpp/precision.h"
#include "p2mpp/reconstruction.h"
#include "p2mpp/sample.h"

namespace p2mpp {

struct DistanceField;  // geometry/distances/distance_field.h

inline constexpr int kAutoBatch = 0;

/// The options of the computation.
struct P2MPP_EXPORT EngineOptions {
  std::filesystem::path model;     ///< a model folder; empty: default_model_folder()
  std::string device = "auto";     ///< auto, cpu, cuda or cuda:N
  std::string backend = "auto";    ///< auto or one of backend_names(); auto: the first that supports the precision
  std::string precision = "auto";  ///< auto, fp32, tf32, bf16x3, bf16, fp16 or fp8; auto: tf32 on CUDA; see `exact`
  std::string instruction_set =
      "auto";  ///< of the CPU: auto (the fastest for the precision) or a name, see InstructionSet
  bool exact =
      false;      ///< precision auto on a CPU: always fp32. Otherwise bf16, if that is faster and the semantics `clean`
  int batch = 1;  ///< samples computed together, 1 to 1024; kAutoBatch: measured, see BatchChoice
  double memory_share = 0.85;  ///< largest share of the device's memory that a measured batch may use, (0, 1]
  int threads = 0;             ///< of the CPU; 0: one per physical core
  int warmup = -1;             ///< passes before the first sample; -1: 15 on CUDA, none on a CPU
  HashCheck hash_check = HashCheck::kRequire;
  /// Called with one line if the engine deviates from the options while it computes (by the computing thread), or if
  /// fp32 would be faster than the precision (by the thread that makes the engine).
  std::function<void(const std::string&)> on_warning = [](const std::string&) {};

  /// Throws UsageError naming the option, its value and what was expected.
  void check() const;
};

/// What the network computed for one sample, or the reason why there is none.
struct ReconstructionResult {
  Reconstruction reconstruction;
  PartTimes times;      ///< of its batch, divided by the batch's size
  std::string problem;  ///< why there is no mesh (one clause), empty if there is one
};

/// A measurement of a batch.
struct BatchTrial {
  int batch = 0;
  double samples_per_second = 0;
  std::uint64_t memory_bytes = 0;  ///< device memory in use during the batch, including memory of other processes
};

/// Number of samples that are computed together. This is the number in the options or, if the batch is measured, the
/// smallest batch with almost the highest throughput.
struct BatchChoice {
  int batch = 1;
  std::vector<BatchTrial> trials;  ///< empty if the batch is not measured
  std::string reason;              ///< why no larger batch was tried (one clause); empty if not measured

  [[nodiscard]] bool is_measured() const { return !reason.empty(); }
};

/// The part of an Engine that computes meshes. The pipeline uses only this interface, so its tests can use a fake.
class P2MPP_EXPORT Reconstructor {
 public:
  virtual ~Reconstructor() = default;

  /// Starts a batch. The samples must stay valid until the batch is collected.
  virtual void submit(std::span<const Sample> batch) = 0;
  /// Waits for the oldest batch in flight.
  [[nodiscard]] virtual std::vector<ReconstructionResult> collect() = 0;
  /// The largest number of batches in flight.
  [[nodiscard]] virtual std::size_t batches_in_flight() const = 0;
  /// The records of the device's work for the batches collected since the previous call.
  [[nodiscard]] virtual std::vector<DeviceSpan> take_device_spans() = 0;
  /// The mesh of a reconstruction, in the network's frame: see in_frame(). Thread-safe.
  [[nodiscard]] virtual TriangleMesh mesh(const Sample& sample, const Reconstruction& reconstruction) const = 0;
  /// Stage 1's meshes, coarse to fine, in the network's frame. Thread-safe.
  [[nodiscard]] virtual std::vector<TriangleMesh> coarse_meshes(const Reconstruction& reconstruction) const = 0;
  /// The finest mesh before any deformation, with the triangles of mesh(); null if it is not known. Thread-safe.
  [[nodiscard]] virtual const TriangleMesh* undeformed_mesh() const { return nullptr; }
  /// Whether the model has a distance network. Thread-safe.
  [[nodiscard]] virtual bool has_distances() const { return false; }
  /// The distances to the object's surface that it computes from the sample's views and the mesh of stage 2 in the
  /// world. Precondition: has_distances(). Thread-safe.
  [[nodiscard]] virtual std::shared_ptr<const DistanceField> distances(const Sample& /*sample*/,
                                                                       const TriangleMesh& /*refined*/) const {
    return nullptr;
  }
};

/// A model on a device, ready to reconstruct: weights, template, supports and hypotheses are resident on the device.
/// Not thread-safe: one thread at a time may submit, collect and reconstruct. Other threads may call the const
/// functions at the same time. Several engines may share a GPU, also from different threads. Their batches run one
/// after the other.
class P2MPP_EXPORT Engine final : public Reconstructor {
 public:
  /// Loads the model and runs the warm-up passes. Throws UsageError (options), InputError (model), Error (device).
  explicit Engine(const EngineOptions& options);
  ~Engine() override;
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  /// Reconstructs samples of 2 to 64 views each, in their order, batch() at a time. The vertices do not depend on the
  /// batch. A sample that cannot be computed has a `problem`, and the others are computed. Throws Error if the device
  /// fails, UsageError if a batch is in flight.
  [[nodiscard]] std::vector<ReconstructionResult> reconstruct(std::span<const Sample> samples);

  /// Starts a batch. On CUDA, the device computes while the host reads and writes other samples. On a CPU, and with the
  /// torchscript backend, collect() computes. The samples must stay valid until the batch is collected. Throws
  /// InputError (one clause), and starts nothing, if one of them cannot be computed; UsageError if batches_in_flight()
  /// batches are in flight. A failing device is reported by collect().
  void submit(std::span<const Sample> batch) override;
  /// Waits for the oldest batch in flight. Throws Error if the device failed with this batch. The other batch is not
  /// affected. Throws UsageError if none is in flight.
  [[nodiscard]] std::vector<ReconstructionResult> collect() override;
  /// Number of batches in flight that keeps the device busy. It is also the maximum: 2 on CUDA, else 1.
  [[nodiscard]] std::size_t batches_in_flight() const override;

  /// Starts to record the device's work. take_device_spans() returns the records of the batches collected since its
  /// previous call, and nothing on a CPU.
  void watch_device();
  [[nodiscard]] std::vector<DeviceSpan> take_device_spans() override;
  /// CUDA memory that this engine has currently allocated, in bytes; 0 if unknown. Thread-safe.
  [[nodiscard]] std::size_t device_bytes() const;

  /// A reconstruction's mesh, wound outward, vertices in the published order and in the network's frame. If the sample
  /// has an initial mesh, its triangles are used unchanged. Throws InputError unless all vertices are finite.
  /// Thread-safe.
  [[nodiscard]] TriangleMesh mesh(const Sample& sample, const Reconstruction& reconstruction) const override;
  /// Stage 1's meshes, coarse to fine, wound outward, in the network's frame; none if the sample had an initial mesh.
  /// Thread-safe.
  [[nodiscard]] std::vector<TriangleMesh> coarse_meshes(const Reconstruction& reconstruction) const override;
  [[nodiscard]] const TriangleMesh* undeformed_mesh() const override;
  [[nodiscard]] bool has_distances() const override;
  /// Throws InputError if an image has no pixels, Error if the device fails. One call computes at a time.
  [[nodiscard]] std::shared_ptr<const DistanceField> distances(const Sample& sample,
                                                               const TriangleMesh& refined) const override;

  [[nodiscard]] const ModelInfo& model() const;
  [[nodiscard]] const DeviceChoice& device() const;
  [[nodiscard]] std::string_view backend() const;  ///< one of backend_names()
  [[nodiscard]] Precision precision() const;
  [[nodiscard]] int threads() const;
  [[nodiscard]] const BatchChoice& batch_choice() const;
  [[nodiscard]] int batch() const;  ///< the chosen batch; smaller once it did not fit into the device's memory
  [[nodiscard]] InstructionSet instruction_set() const;

  /// The version of the LibTorch that this program was built with ("2.11.0"), or "none".
  [[nodiscard]] static std::string libtorch_version();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The backends of this program, in order of preference.
[[nodiscard]] P2MPP_EXPORT std::span<const std::string_view> backend_names();

}  // namespace p2mpp
