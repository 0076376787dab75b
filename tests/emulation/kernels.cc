// The kernels for the emulation: the same sources, compiled as C++.
#include "backends/cuda/hopper_reasoning.cu"
#include "backends/cuda/others.cu"
#include "backends/cuda/products.cu"
#include "backends/cuda/reasoning.cu"
