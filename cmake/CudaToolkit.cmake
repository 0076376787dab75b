# Only p2mpp's own kernels (src/backends/cuda) need the CUDA toolkit: LibTorch has its own CUDA libraries, which
# --backend torchscript loads at run time. Prints one line about the toolkit and sets P2MPP_HAS_CUDA.
p2mpp_auto_option(P2MPP_CUDA cuda_wanted "Compile the CUDA kernels: auto (if a toolkit is found), on or off")

set(default_architectures native)
if(CMAKE_CUDA_ARCHITECTURES)
  set(default_architectures "${CMAKE_CUDA_ARCHITECTURES}")
endif()
set(P2MPP_CUDA_ARCHITECTURES "${default_architectures}" CACHE STRING
    "GPU generations to compile the kernels for: native (this machine's GPUs), all, or a list in CMake's format")

# Sets VARIABLE to the architectures to compile for, so that this machine's GPUs can run the kernels. The list is empty
# if the machine has no suitable GPU. A GPU without an architecture of its own in P2MPP_ALL_CUDA_ARCHITECTURES runs the
# binary of an older GPU of its generation, or the PTX.
function(p2mpp_native_architectures variable)
  set(${variable} "" PARENT_SCOPE)
  find_program(nvidia_smi nvidia-smi NO_CACHE)
  if(NOT nvidia_smi)
    return()
  endif()
  execute_process(COMMAND ${nvidia_smi} --query-gpu=compute_cap --format=csv,noheader OUTPUT_VARIABLE capabilities ERROR_QUIET)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]+" capabilities "${capabilities}")
  set(architectures "")
  foreach(capability ${capabilities})
    string(REPLACE "." "" number ${capability})
    string(REGEX REPLACE ".$" "" generation ${number})
    set(chosen "")
    foreach(architecture ${P2MPP_ALL_CUDA_ARCHITECTURES})
      string(REGEX MATCH "^[0-9]+" its_number ${architecture})
      if(its_number LESS_EQUAL number AND (its_number MATCHES "^${generation}.$" OR NOT architecture MATCHES "-real$"))
        set(chosen ${architecture})
      endif()
    endforeach()
    list(APPEND architectures ${chosen})
  endforeach()
  list(REMOVE_DUPLICATES architectures)
  set(${variable} "${architectures}" PARENT_SCOPE)
endfunction()

set(P2MPP_HAS_CUDA OFF)
if(cuda_wanted STREQUAL "off")
  message(STATUS "CUDA toolkit: not looked for (P2MPP_CUDA=off); no CUDA kernels are compiled")
  return()
endif()
find_package(CUDAToolkit 12.8 QUIET)
if(NOT CUDAToolkit_FOUND)
  if(cuda_wanted STREQUAL "on")
    message(FATAL_ERROR "CUDA toolkit: not found; expected 12.8 or newer, or P2MPP_CUDA=auto")
  endif()
  message(STATUS "CUDA toolkit: 12.8 or newer not found; no CUDA kernels are compiled")
  return()
endif()

# Code for every GPU that docs/gpus.md lists as supported, so that the driver need not compile it. Code for a compute
# capability also runs on later ones of the same major number: 8.6's on 8.7, 10.0's on 10.3, 12.0's on 12.1. 8.6 and 8.9
# are tuned separately, and 9.0a runs only on 9.0. The PTX of the last architecture is for future GPUs.
# tests/python/installation/test_kernel_resources.py checks this list.
set(P2MPP_ALL_CUDA_ARCHITECTURES 80-real 86-real 89-real 90a-real)
if(CUDAToolkit_VERSION VERSION_LESS 13)
  list(APPEND P2MPP_ALL_CUDA_ARCHITECTURES 100 120) # without 11.0, for which the driver compiles 10.0's PTX
else()
  list(APPEND P2MPP_ALL_CUDA_ARCHITECTURES 100-real 110-real 120)
endif()
set(CMAKE_CUDA_ARCHITECTURES ${P2MPP_CUDA_ARCHITECTURES})
if(P2MPP_CUDA_ARCHITECTURES STREQUAL "native")
  p2mpp_native_architectures(CMAKE_CUDA_ARCHITECTURES)
endif()
if(P2MPP_CUDA_ARCHITECTURES STREQUAL "all" OR (NOT CMAKE_CUDA_ARCHITECTURES AND cuda_wanted STREQUAL "on"))
  set(CMAKE_CUDA_ARCHITECTURES ${P2MPP_ALL_CUDA_ARCHITECTURES})
endif()
if(NOT CMAKE_CUDA_ARCHITECTURES)
  message(STATUS "CUDA toolkit: ${CUDAToolkit_VERSION} found, but no GPU of compute capability 8.0 or newer; no CUDA kernels are compiled "
                 "(P2MPP_CUDA_ARCHITECTURES=all compiles them for every GPU)")
  return()
endif()
set(P2MPP_HAS_CUDA ON)
message(STATUS "CUDA toolkit: ${CUDAToolkit_VERSION} found; the CUDA kernels are compiled for ${CMAKE_CUDA_ARCHITECTURES}")
set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
if(P2MPP_CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
enable_language(CUDA)
# CMake before 3.26 does not know that nvcc 12 and later support C++20.
set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
