# Finds LibTorch 2.11 without its own TorchConfig.cmake, which requires a CUDA toolkit if LibTorch is a CUDA build.
# Searches CMAKE_PREFIX_PATH (a libtorch folder, or site-packages/torch of a Python environment), then the project's own
# .venv. Defines the target LibTorch::LibTorch, which links only torch_cpu and c10, even of a CUDA build: a program that
# links it starts fast and runs on a machine without a driver. The CUDA libraries are loaded at run time.
# LibTorch's include folder has a copy of fmt: code that includes LibTorch must not include spdlog.
set(LibTorch_ROOTS)
foreach(prefix IN LISTS CMAKE_PREFIX_PATH)
  list(APPEND LibTorch_ROOTS ${prefix})
endforeach()
if(DEFINED ENV{CMAKE_PREFIX_PATH})
  string(REPLACE ":" ";" LibTorch_ENV_ROOTS "$ENV{CMAKE_PREFIX_PATH}")
  list(APPEND LibTorch_ROOTS ${LibTorch_ENV_ROOTS})
endif()
file(GLOB LibTorch_VENV_ROOTS ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch)
list(APPEND LibTorch_ROOTS ${LibTorch_VENV_ROOTS})

# Not cached: the Python environment may have been created again in another place.
foreach(variable LibTorch_INCLUDE_DIR LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY)
  unset(${variable} CACHE)
endforeach()
find_path(LibTorch_INCLUDE_DIR torch/script.h PATHS ${LibTorch_ROOTS} PATH_SUFFIXES include NO_DEFAULT_PATH)
cmake_path(GET LibTorch_INCLUDE_DIR PARENT_PATH LibTorch_ROOT_DIR)
find_library(LibTorch_CPU_LIBRARY torch_cpu PATHS ${LibTorch_ROOT_DIR}/lib NO_DEFAULT_PATH)
find_library(LibTorch_C10_LIBRARY c10 PATHS ${LibTorch_ROOT_DIR}/lib NO_DEFAULT_PATH)
mark_as_advanced(LibTorch_INCLUDE_DIR LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY)

set(LibTorch_VERSION_FILE ${LibTorch_INCLUDE_DIR}/torch/headeronly/version.h)
if(EXISTS ${LibTorch_VERSION_FILE})
  file(STRINGS ${LibTorch_VERSION_FILE} LibTorch_VERSION_LINES REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*PATCH ([0-9]+).*" "\\1.\\2.\\3" LibTorch_VERSION
                       "${LibTorch_VERSION_LINES}")
endif()
# Whether this is a CUDA build of LibTorch.
set(LibTorch_HAS_CUDA OFF)
if(EXISTS ${LibTorch_ROOT_DIR}/lib/libtorch_cuda.so)
  set(LibTorch_HAS_CUDA ON)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  LibTorch
  REQUIRED_VARS LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY LibTorch_INCLUDE_DIR
  VERSION_VAR LibTorch_VERSION HANDLE_VERSION_RANGE)

if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
  foreach(library c10 torch_cpu)
    add_library(LibTorch::${library} SHARED IMPORTED)
    set_target_properties(LibTorch::${library} PROPERTIES IMPORTED_LOCATION ${LibTorch_ROOT_DIR}/lib/lib${library}.so)
  endforeach()
  add_library(LibTorch::LibTorch INTERFACE IMPORTED)
  target_include_directories(LibTorch::LibTorch SYSTEM INTERFACE ${LibTorch_INCLUDE_DIR}
                                                                ${LibTorch_INCLUDE_DIR}/torch/csrc/api/include)
  # Since 2.6, wheels and archives both use the C++11 ABI of libstdc++.
  target_compile_definitions(LibTorch::LibTorch INTERFACE _GLIBCXX_USE_CXX11_ABI=1)
  target_link_libraries(LibTorch::LibTorch INTERFACE LibTorch::torch_cpu LibTorch::c10)
endif()
