#pragma once

/// Marks a function that the CPU and CUDA kernels share.
#if defined(__CUDACC__)
#define P2MPP_HOST_DEVICE __host__ __device__
#else
#define P2MPP_HOST_DEVICE
#endif
