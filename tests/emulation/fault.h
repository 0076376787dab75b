#pragma once

namespace p2mpp::emulation {

/// Bugs that a kernel or a layout might have. On request, the emulated GPU simulates one of them, so that tests can
/// prove that a check finds it. The kernels' source is not involved.
enum class Fault {
  kNone,
  kWeightLanesSwapped,  ///< mma: two lanes swap their fragments of A
  kRowLanesSwapped,     ///< mma: two lanes swap their fragments of B
  kSumRowsSwapped,      ///< mma: a lane's sums swap their channels
  kSmallPartsLost,      ///< mma: only the large parts of split operands are multiplied
  kLastDepthLost,       ///< the last element of an instruction's depth is omitted
  kBarrierSkipped,      ///< each thread skips one barrier, chosen by set_fault()'s index
  kGridBarrierSkipped,  ///< thread blocks do not synchronise between layers
  kLaneSumsWrong,       ///< a sum over a warp's lanes uses one partner twice
  kPhaseParityWrong,    ///< the wrong phase of a barrier is awaited
  kCopyArrivesLate,     ///< a copy reports completion before its bytes arrive, so old contents are read
  kProductsNotWaited,   ///< wgmma: sums are read before the last group is complete
  kCoreRowsSwapped,     ///< wgmma: rows of an operand's core matrices are swapped
  kMatricesSwapped,     ///< stmatrix, ldmatrix: two matrices are swapped
  kPairSwapped,         ///< e4m3: the two numbers of a pair are swapped
};

inline Fault chosen_fault = Fault::kNone;
inline int chosen_fault_index = 0;

inline void set_fault(Fault fault, int index = 0) {
  chosen_fault = fault;
  chosen_fault_index = index;
}
[[nodiscard]] inline bool has_fault(Fault fault) { return chosen_fault == fault; }

}  // namespace p2mpp::emulation
