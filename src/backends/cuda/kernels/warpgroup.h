#pragma once

// Instructions of Hopper: CUDA's, or the emulation of them.

#if defined(__CUDACC__)
#include "backends/cuda/kernels/warpgroup_cuda.h"
#else
#include "emulation/warpgroup_emulated.h"
#endif
