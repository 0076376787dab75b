#pragma once

#include <span>
#include <vector>

#include "backends/common/finding.h"
#include "backends/cpu/deformation_reasoning.h"
#include "backends/self_check/drawn_operations.h"
#include "p2mpp/instruction_set.h"
#include "p2mpp/precision.h"

namespace p2mpp {

// Results of the CPU kernels for random problems. Number: float, Bfloat16 for bf16, or SplitFloat for bf16x3.
// Precondition: this machine supports `set`.

/// [images, output_side, output_side, out], rounded to Number. pixel_stride: elements from one pixel to the next.
/// Throws Error if the rounded output differs from the rounded float output.
template <class Number>
[[nodiscard]] std::vector<float> convolved(InstructionSet set, const DrawnConvolution& drawn, std::size_t pixel_stride,
                                           int threads);

/// The last layer's output [samples, vertices, channels].
template <class Number>
[[nodiscard]] std::vector<float> graph_convolved(InstructionSet set, const DrawnGraph& drawn);

/// [points, 3 + 3 * channels] in the checkpoint's order.
[[nodiscard]] std::vector<float> looked_up(InstructionSet set, const ProjectionRules& rules, const DrawnViews& views,
                                           std::span<const float> points);

struct ReasonedBlock {
  std::vector<float> moved;  ///< [vertices,3]
  ReasoningTrace trace;
};
template <class Number>
[[nodiscard]] ReasonedBlock reasoned(InstructionSet set, const DrawnReasoning& drawn, int threads);

/// Compares every CPU kernel of an instruction set with plain loops. Precondition: this machine supports `set`, and the
/// precision is fp32, bf16 or bf16x3.
[[nodiscard]] std::vector<Finding> check_cpu_operations(InstructionSet set, Precision precision);

/// Checks the table behind choose_instruction_set(): measures a small product of bf16 with each of `sets`. The error is
/// the time of `chosen` over that of the fastest set, minus 1. Takes some milliseconds. Precondition: this machine
/// supports the sets, and `chosen` is one of them.
[[nodiscard]] Finding check_choice_for_bf16(std::span<const InstructionSet> sets, InstructionSet chosen);

}  // namespace p2mpp
