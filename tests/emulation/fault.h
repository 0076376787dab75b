#pragma once

namespace p2mpp::emulation {

/// Mistakes that a kernel or a layout may hold. The emulated GPU makes one of them on request, so that tests can prove
/// that a check finds it; the kernels' own source has no part in that.
enum class Fault {
  kNone,
  kWeightLanesSwapped,  ///< mma: two lanes have each other's fragments of A
  kRowLanesSwapped,     ///< mma: the same of B
  kSumRowsSwapped,      ///< mma: a lane's sums belong to each other's channels
  kSmallPartsLost,      ///< mma: of split operands only the large parts are multiplied
  kLastDepthLost,       ///< the last element of an instruction's depth is left out
  kBarrierSkipped,      ///< each thread skips one of its barriers, the one of set_fault()'s index
  kMeetingSkipped,      ///< blocks of threads do not wait for each other between layers
  kLaneSumsWrong,       ///< a sum over a warp's lanes takes one partner twice
  kPhaseParityWrong,    ///< the other phase of a barrier is waited for
  kCopyArrivesLate,     ///< a copy is announced before its bytes are there: what lay there before is read
  kProductsNotWaited,   ///< wgmma: sums are read while the last group is still computed
  kCoreRowsSwapped,     ///< wgmma: rows of an operand's core matrices change places
  kMatricesSwapped,     ///< stmatrix, ldmatrix: two matrices change places
  kPairSwapped,         ///< e4m3: the two numbers of a pair change places
};

inline Fault chosen_fault = Fault::kNone;
inline int chosen_fault_index = 0;

inline void set_fault(Fault fault, int index = 0) {
  chosen_fault = fault;
  chosen_fault_index = index;
}
[[nodiscard]] inline bool has_fault(Fault fault) { return chosen_fault == fault; }

}  // namespace p2mpp::emulation
