#pragma once

#if defined(__CUDACC__)
#include "ops/cuda/kernels/launch_cuda.h"
#else
#include "ops/cuda/kernels/launch_emulated.h"
#endif
