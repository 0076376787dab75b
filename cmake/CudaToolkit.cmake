# The CUDA toolkit is for the project's own kernels (src/backends/cuda) alone: LibTorch brings its own CUDA side, which
# --backend torchscript loads at run time. Says in one line what was found, and sets P2MPP_HAS_CUDA.
set(P2MPP_CUDA auto CACHE STRING "Compile the CUDA kernels: auto (where a toolkit is found), on or off")
set_property(CACHE P2MPP_CUDA PROPERTY STRINGS auto on off)
string(TOLOWER "${P2MPP_CUDA}" cuda_wanted)
if(NOT cuda_wanted MATCHES "^(auto|on|off)$")
  message(FATAL_ERROR "P2MPP_CUDA is '${P2MPP_CUDA}'; expected auto, on or off")
endif()

set(P2MPP_HAS_CUDA OFF)
if(cuda_wanted STREQUAL "off")
  message(STATUS "CUDA toolkit: not looked for (P2MPP_CUDA=off); --device cuda runs LibTorch's kernels")
  return()
endif()
find_package(CUDAToolkit 12.8 QUIET)
if(NOT CUDAToolkit_FOUND)
  if(cuda_wanted STREQUAL "on")
    message(FATAL_ERROR "CUDA toolkit: not found; expected 12.8 or newer, or P2MPP_CUDA=auto")
  endif()
  message(STATUS "CUDA toolkit: 12.8 or newer not found (--device cuda runs LibTorch's kernels)")
  return()
endif()

message(STATUS "CUDA toolkit: ${CUDAToolkit_VERSION} found (compiles the project's kernels)")
set(P2MPP_HAS_CUDA ON)
# Code for every GPU that docs/gpus.md promises, so that none has to wait for the driver to compile it. Code of a compute
# capability runs on later ones of the same major number, too: 8.6's on 8.7, 10.0's on 10.3, 12.0's on 12.1; 8.6 and 8.9 are
# tuned for apart, and 9.0a runs on 9.0 alone. PTX of the last is for GPUs to come. tests/python/test_kernel_resources.py
# checks it.
set(P2MPP_ALL_CUDA_ARCHITECTURES 80-real 86-real 89-real 90a-real)
if(CUDAToolkit_VERSION VERSION_LESS 13)
  list(APPEND P2MPP_ALL_CUDA_ARCHITECTURES 100 120) # 11.0 is not known yet: the driver compiles 10.0's PTX for it
else()
  list(APPEND P2MPP_ALL_CUDA_ARCHITECTURES 100-real 110-real 120)
endif()
set(CMAKE_CUDA_ARCHITECTURES ${P2MPP_ALL_CUDA_ARCHITECTURES} CACHE STRING "GPU generations to compile the kernels for")
set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
if(P2MPP_CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
enable_language(CUDA)
# CMake before 3.26 does not know that nvcc 12 and later take C++20.
set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
