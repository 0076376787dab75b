#pragma once

// Hopper's instructions: CUDA's, or their emulation.

#if defined(__CUDACC__)
#include "backends/cuda/kernels/warpgroup_cuda.h"
#else
#include "emulation/warpgroup_emulated.h"
#endif
