#pragma once

// Instructions of Hopper: CUDA's, or the emulation of them.

#if defined(__CUDACC__)
#include "ops/cuda/kernels/warpgroup_cuda.h"
#else
#include "ops/cuda/kernels/warpgroup_emulated.h"
#endif
