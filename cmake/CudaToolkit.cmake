# The CUDA toolkit is for the project's own kernels (src/*/*_cuda.cu) alone: LibTorch brings its own CUDA side, which
# --device cuda loads at run time. Says in one line what was found.
file(GLOB P2MPP_CUDA_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*_cuda.cu)
find_package(CUDAToolkit 12.8 QUIET)

if(NOT P2MPP_CUDA_SOURCES)
  set(use "not needed: this version has no kernels of its own; --device cuda runs LibTorch's")
elseif(CUDAToolkit_FOUND)
  set(use "compiles the project's kernels")
else()
  set(use "needed for the project's own kernels; without them --device cuda runs LibTorch's")
endif()
if(CUDAToolkit_FOUND)
  message(STATUS "CUDA toolkit: ${CUDAToolkit_VERSION} found (${use})")
else()
  message(STATUS "CUDA toolkit: 12.8 or newer not found (${use})")
endif()

if(P2MPP_CUDA_SOURCES AND CUDAToolkit_FOUND)
  set(CMAKE_CUDA_ARCHITECTURES 80 86 89 90a 120 CACHE STRING "GPU generations to compile the kernels for")
  set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
  enable_language(CUDA)
  # CMake before 3.26 does not know that nvcc 12 and later take C++20.
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
endif()
