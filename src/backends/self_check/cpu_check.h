#pragma once

#include <vector>

#include "backends/common/finding.h"
#include "backends/cpu/deformation_reasoning.h"
#include "backends/self_check/drawn_operations.h"
#include "p2mpp/instruction_set.h"
#include "p2mpp/precision.h"

namespace p2mpp {

// What the CPU's operations make of drawn problems. Element: float, or Bfloat16 for bf16.

/// [images, output_side, output_side, out], rounded to Element. pixel_stride: elements from a pixel to the next. Throws
/// Error where what is rounded is not what the next projection reads, rounded.
template <class Element>
[[nodiscard]] std::vector<float> convolved(const Kernels<Element>& kernels, const DrawnConvolution& drawn,
                                           std::size_t pixel_stride, int threads);

/// [samples, vertices, channels] after the last layer.
template <class Element>
[[nodiscard]] std::vector<float> graph_convolved(const Kernels<Element>& kernels, const DrawnGraph& drawn);

/// [points, 3 + 3 * channels] in the checkpoint's order.
[[nodiscard]] std::vector<float> looked_up(InstructionSet set, const ProjectionRules& rules, const DrawnViews& views,
                                           std::span<const float> points);

struct ReasonedBlock {
  std::vector<float> moved;  ///< [vertices,3]
  ReasoningTrace trace;
};
template <class Element>
[[nodiscard]] ReasonedBlock reasoned(InstructionSet set, const DrawnReasoning& drawn, int threads);

/// Every operation of the CPU in one instruction set that this machine has, compared with plain loops. fp32 or bf16.
[[nodiscard]] std::vector<Finding> check_cpu_operations(InstructionSet set, Precision precision);

}  // namespace p2mpp
