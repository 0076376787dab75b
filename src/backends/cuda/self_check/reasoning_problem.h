#pragma once

#include "backends/common/projection.h"
#include "backends/cuda/fp8_packing.h"
#include "backends/cuda/self_check/device_arrays.h"

namespace p2mpp {

/// The two kernels for deformation reasoning blocks.
enum class ReasoningKernel { kPortable, kHopper };

/// A random deformation reasoning block on a device, for one of the two kernels. The same seed gives both kernels the
/// same problem.
class ReasoningProblem {
 public:
  ReasoningProblem(DeviceRuntime& runtime, const ReasoningSizes& sizes, Arithmetic arithmetic, ReasoningKernel kernel,
                   unsigned seed);

  /// Whether the kernel supports these sizes on this device.
  [[nodiscard]] bool fits() const;

  /// Runs the kernel and fills `features`, `scores` and `moved`. Throws Error if the launch fails.
  void run();

  std::vector<float> features;  ///< [vertices * hypotheses, width] as sampled, in the checkpoint's order
  std::vector<float> scores;    ///< [vertices, hypotheses]
  std::vector<float> moved;     ///< [vertices, 3]

  /// The results expected from plain loops: features from the same points and maps, scores from the kernel's features,
  /// moved vertices from the kernel's scores.
  [[nodiscard]] std::vector<double> expected_features() const { return drawn_.features().values; }
  [[nodiscard]] std::vector<double> expected_scores() const;
  /// The scores from the CPU kernels in fp32, which take a thirtieth of the time of plain loops.
  [[nodiscard]] std::vector<float> scores_of_cpu() const;
  [[nodiscard]] std::vector<double> expected_moves() const { return drawn_.moved(scores); }

 private:
  [[nodiscard]] int rows() const { return hypothesis_rows(static_cast<int>(drawn_.sizes.hypotheses)); }
  [[nodiscard]] int hidden() const { return static_cast<int>(drawn_.sizes.hidden); }
  [[nodiscard]] int padded_hidden() const;
  [[nodiscard]] int vertices_in_block() const;
  [[nodiscard]] Launch launch() const;
  [[nodiscard]] bool on_hopper() const { return kernel_ == ReasoningKernel::kHopper; }
  /// The checkpoint's row for each row of the kernel's layer.
  [[nodiscard]] std::vector<std::size_t> count_columns(std::size_t layer) const;
  void add_points();
  void add_layers();
  void add_layer(std::size_t index, std::vector<std::uint32_t>& stream);
  void add_fp8_layer(std::size_t index, std::vector<float>& bias, std::vector<std::uint32_t>& stream);
  void add_last_layer();
  void keep_rounded(std::size_t index, const Fp8Layer& packed);
  [[nodiscard]] bool is_apart(std::size_t column) const;
  [[nodiscard]] double as_operand(std::size_t layer, std::size_t column, double value) const;

  DeviceArrays arrays_;
  Arithmetic arithmetic_;
  ReasoningKernel kernel_;
  Draw draw_;
  DrawnReasoning drawn_;  // in fp8 its weights are rounded to fp8
  ProjectionLayout layout_;
  ReasoningArguments arguments_{};
  std::vector<std::vector<float>> units_;  // fp8 only: units of each layer's sums
};

}  // namespace p2mpp
