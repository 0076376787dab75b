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
#include "p2mpp/instruction_set.h"
#include "p2mpp/model.h"
#include "p2mpp/precision.h"
#include "p2mpp/reconstruction.h"
#include "p2mpp/sample.h"

namespace p2mpp {

inline constexpr int kAutoBatch = 0;

/// How to compute. check() says what does not fit together.
struct EngineOptions {
  std::filesystem::path model;     ///< a model folder
  std::string device = "auto";     ///< auto, cpu, cuda or cuda:N
  std::string backend = "auto";    ///< auto or one of backend_names(); auto takes the first that has the precision
  std::string precision = "auto";  ///< auto, fp32, tf32, bf16 or fp16; auto is tf32 on CUDA and fp32 on a CPU
  std::string instruction_set =
      "auto";                  ///< of the CPU: auto (the best that it has), portable, avx2, avx512, avx512_bf16
  int batch = 1;               ///< samples computed together, 1 to 1024; kAutoBatch: measured, see BatchChoice
  double memory_share = 0.85;  ///< of the device's memory, above 0 and up to 1: a measured batch keeps within it
  int threads = 0;             ///< of the CPU; 0: one for each physical core
  int warmup = -1;             ///< passes before the first sample; -1: 15 on CUDA, none on a CPU
  Trust trust = Trust::kHashedFilesOnly;
  /// Told what goes another way than asked for while samples are computed (one line).
  std::function<void(const std::string&)> on_warning = [](const std::string&) {};

  /// Throws UsageError naming the option, its value and what was expected.
  void check() const;
};

/// The frame of the vertices that are written.
enum class Frame {
  kCamera0,  ///< of the sample's first camera, as published
  kWorld,    ///< of the camera rows: the object's centre is the origin, y is up
};

/// What became of one sample.
struct Outcome {
  Reconstruction reconstruction;
  PartTimes times;      ///< of its batch, divided by the batch's size
  std::string problem;  ///< why there is no mesh (one clause), empty if there is one
};

/// What was measured of a batch.
struct BatchTrial {
  int batch = 0;
  double samples_per_second = 0;
  std::uint64_t memory_bytes = 0;  ///< of the device's, in use with it, by whomever
};

/// How many samples are computed together. Unless the options say so: the smallest batch that computes nearly as many
/// samples a second as the fastest one, of those that were tried.
struct BatchChoice {
  int batch = 1;
  std::vector<BatchTrial> trials;  ///< empty where the options say the batch
  std::string reason;              ///< why no larger one was tried (one clause), empty likewise

  [[nodiscard]] bool is_measured() const { return !reason.empty(); }
};

/// A model on a device, ready to reconstruct: weights, template, supports and hypotheses are resident and warm.
/// One thread at a time may reconstruct; others may ask for meshes and facts meanwhile.
class Engine {
 public:
  /// Loads and warms up. Throws UsageError (options), InputError (model), Error (device).
  explicit Engine(const EngineOptions& options);
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  /// Reconstructs samples of 2 to 5 views each, in their order, batch() at a time where their numbers of views agree.
  /// The vertices do not depend on the batch. Throws Error if the device fails. Expects nothing that was submitted.
  [[nodiscard]] std::vector<Outcome> reconstruct(std::span<const Sample> samples);

  /// The same in two steps, so that a device need not wait for the host: what is submitted meanwhile is copied to it
  /// while it computes. The samples stay where they are until they are collected. What goes wrong is told then.
  void submit(std::span<const Sample> samples);
  /// What was submitted first of what is left, of which there must be some. Throws what reconstruct() throws; the
  /// others are still there.
  [[nodiscard]] std::vector<Outcome> collect();
  /// So many submissions of a batch each keep the device at work; more are of no use.
  [[nodiscard]] std::size_t batches_in_flight() const;

  /// From now on take_device_spans() gives what the device did for what was collected since it was asked last. Nothing
  /// on a CPU.
  void watch_device();
  [[nodiscard]] std::vector<DeviceSpan> take_device_spans();
  /// Of a CUDA device's memory, taken now; 0 where that is not known. For any thread.
  [[nodiscard]] std::size_t device_bytes() const;

  /// A reconstruction's mesh, wound outward, vertices in the published order. Throws InputError unless all are finite.
  [[nodiscard]] TriangleMesh mesh(const Sample& sample, const Reconstruction& reconstruction, Frame frame) const;

  [[nodiscard]] const ModelInfo& model() const;
  [[nodiscard]] const MeshTemplate& mesh_template() const;
  [[nodiscard]] const DeviceChoice& device() const;
  [[nodiscard]] std::string_view backend() const;  ///< one of backend_names()
  [[nodiscard]] Precision precision() const;
  [[nodiscard]] int threads() const;
  [[nodiscard]] const BatchChoice& batch_choice() const;
  [[nodiscard]] int batch() const;  ///< of the choice; half of it or less once the memory has not sufficed for it
  [[nodiscard]] InstructionSet instruction_set() const;

  /// "2.11.0" of LibTorch.
  [[nodiscard]] static std::string libtorch_version();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The backends that this program has, the preferred ones first.
[[nodiscard]] std::span<const std::string_view> backend_names();

}  // namespace p2mpp
