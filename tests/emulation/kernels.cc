// The same kernel sources, compiled as C++ for the emulation.
#include "backends/cuda/hopper_reasoning.cu"
#include "backends/cuda/others.cu"
#include "backends/cuda/products.cu"
#include "backends/cuda/reasoning.cu"
