// The kernels for the emulation: the same sources, compiled as C++.
#include "ops/cuda/hopper_reasoning.cu"
#include "ops/cuda/others.cu"
#include "ops/cuda/products.cu"
#include "ops/cuda/reasoning.cu"
