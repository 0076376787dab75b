#pragma once

#include <vector>

#include "backends/common/finding.h"
#include "backends/cpu/deformation_reasoning.h"
#include "backends/self_check/drawn_operations.h"
#include "p2mpp/instruction_set.h"
#include "p2mpp/precision.h"

namespace p2mpp {

// Results of the CPU kernels for random problems. Element: float, or Bfloat16 for bf16.

/// [images, output_side, output_side, out], rounded to Element. pixel_stride: elements from one pixel to the next.
/// Throws Error if the rounded output differs from the rounded float output.
template <class Element>
[[nodiscard]] std::vector<float> convolved(const Kernels<Element>& kernels, const DrawnConvolution& drawn,
                                           std::size_t pixel_stride, int threads);

/// The last layer's output [samples, vertices, channels].
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

/// Compares every CPU kernel of an instruction set with plain loops. Precondition: this machine supports `set`, and the
/// precision is fp32 or bf16.
[[nodiscard]] std::vector<Finding> check_cpu_operations(InstructionSet set, Precision precision);

}  // namespace p2mpp
