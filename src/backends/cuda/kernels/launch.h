#pragma once

#if defined(__CUDACC__)
#include "backends/cuda/kernels/launch_cuda.h"
#else
#include "emulation/launch_emulated.h"
#endif
