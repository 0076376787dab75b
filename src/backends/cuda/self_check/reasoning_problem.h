#pragma once

#include "backends/common/projection_layout.h"
#include "backends/cuda/fp8_packing.h"
#include "backends/cuda/self_check/device_arrays.h"

namespace p2mpp {

/// The two kernels that compute deformation reasoning blocks.
enum class ReasoningKernel { kPortable, kHopper };

/// A drawn deformation reasoning block on a device, for one of the two kernels. The same seed draws the same for both.
class ReasoningProblem {
 public:
  ReasoningProblem(DeviceRuntime& runtime, const ReasoningSizes& sizes, Arithmetic arithmetic, ReasoningKernel kernel,
                   unsigned seed);

  /// Whether the kernel computes these sizes on the device.
  [[nodiscard]] bool fits() const;

  /// Fills what is below. Throws Error where the launch fails.
  void run();

  std::vector<float> features;  ///< [vertices * hypotheses, width] as sampled, in the checkpoint's order
  std::vector<float> scores;    ///< [vertices, hypotheses]
  std::vector<float> moved;     ///< [vertices, 3]

  /// What plain loops make of the same points and maps; of the features that the kernel sampled; of its scores.
  [[nodiscard]] std::vector<double> expected_features() const { return drawn_.features().values; }
  [[nodiscard]] std::vector<double> expected_scores() const;
  /// The scores by the CPU's operations in fp32, which take a thirtieth of the time.
  [[nodiscard]] std::vector<float> scores_of_cpu() const;
  [[nodiscard]] std::vector<double> expected_moves() const { return drawn_.moved(scores); }

 private:
  [[nodiscard]] int rows() const { return hypothesis_rows(static_cast<int>(drawn_.sizes.hypotheses)); }
  [[nodiscard]] int hidden() const { return static_cast<int>(drawn_.sizes.hidden); }
  [[nodiscard]] int padded_hidden() const;
  [[nodiscard]] int vertices_in_block() const;
  [[nodiscard]] Launch launch() const;
  [[nodiscard]] bool on_hopper() const { return kernel_ == ReasoningKernel::kHopper; }
  /// The checkpoint's row of a layer for each of the kernel's.
  [[nodiscard]] std::vector<std::size_t> columns_of(std::size_t layer) const;
  void add_points();
  void add_layers();
  void add_layer(std::size_t index, std::vector<std::uint32_t>& stream);
  void add_fp8_layer(std::size_t index, std::vector<float>& bias, std::vector<std::uint32_t>& stream);
  void add_last_layer();
  void keep_rounded(std::size_t index, const Fp8Layer& packed);
  [[nodiscard]] double as_operand(std::size_t layer, std::size_t column, double value) const;

  DeviceArrays arrays_;
  Arithmetic arithmetic_;
  ReasoningKernel kernel_;
  Draw draw_;
  DrawnReasoning drawn_;  // weights in fp8: what their eight bits hold
  ProjectionLayout layout_;
  ReasoningArguments arguments_{};
  std::vector<std::vector<float>> units_;  // in fp8, of each layer's sums
};

}  // namespace p2mpp
