# Options, warnings, sanitizers and output folders for all targets of the project.
option(P2MPP_BUILD_TESTS "Build the tests" ON)
option(P2MPP_WARNINGS_AS_ERRORS "Turn warnings into errors" ON)
option(P2MPP_PRECOMPILE_HEADERS "Precompile the large headers of the upper layers" ON)
option(P2MPP_UNITY_BUILD "Compile the sources of a layer in groups: a first build is faster, an edit slower" OFF)
option(P2MPP_FUZZERS "Build the libFuzzer targets of tests/fuzz (clang only)" OFF)
set(P2MPP_SANITIZE "" CACHE STRING "Sanitizers to compile with, for instance address,undefined")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON) # the layers are part of a library that is loaded at run time, too
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden) # of libp2mpp.so; P2MPP_EXPORT marks what it exports
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
include(CheckPIESupported)
check_pie_supported()

# Where an installation puts what the program looks for at run time (base/program_files.h).
include(GNUInstallDirs)
set(P2MPP_INSTALL_MODELS ${CMAKE_INSTALL_DATADIR}/p2mpp/models)
set(P2MPP_INSTALL_LIBRARIES ${CMAKE_INSTALL_LIBDIR}/p2mpp)

# ccache treats paths below the base folder as relative, so that another clone of the project can use the same cache.
find_program(P2MPP_CCACHE ccache)
if(P2MPP_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${P2MPP_CCACHE})
endif()

# p2mpp_options has the flags of the project's own targets; third-party headers are included as system headers.
add_library(p2mpp_options INTERFACE)
target_compile_options(p2mpp_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wnon-virtual-dtor>)
if(P2MPP_WARNINGS_AS_ERRORS)
  target_compile_options(p2mpp_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC's diagnostics after inlining differ from version to version and are often wrong, so they are not errors.
    target_compile_options(p2mpp_options INTERFACE
      $<$<COMPILE_LANGUAGE:CXX>:-Wno-error=array-bounds;-Wno-error=maybe-uninitialized;-Wno-error=restrict;-Wno-error=stringop-overflow;-Wno-error=free-nonheap-object>)
    # A precompiled header that GCC rejects costs time only: the header is then parsed.
    target_compile_options(p2mpp_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-error=invalid-pch>)
  endif()
endif()
# GCC collects the garbage of its memory later, which saves an eighth of the time of a group of sources and takes 1.7 GB in
# place of 1.2.
if(P2MPP_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(p2mpp_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-expand=300;--param=ggc-min-heapsize=400000>)
endif()
# No path of this machine in what is built.
target_compile_options(p2mpp_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>)
# Overflows of buffers end the program instead of continuing; tables of the linker become read-only at the start.
# The sanitizers have checks of their own.
option(P2MPP_HARDENING "Stack protector, checked library calls, read-only relocations" ON)
if(P2MPP_HARDENING AND NOT P2MPP_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_options(p2mpp_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fstack-protector-strong;-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>)
  target_link_options(p2mpp_options INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
endif()
if(P2MPP_SANITIZE)
  # pointer-overflow takes a sixth of the compile time; AddressSanitizer reports accesses through such a pointer.
  target_compile_options(p2mpp_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${P2MPP_SANITIZE};-fno-sanitize=pointer-overflow;-fno-omit-frame-pointer;-fno-sanitize-recover=all>)
  target_link_options(p2mpp_options INTERFACE -fsanitize=${P2MPP_SANITIZE})
endif()
if(P2MPP_FUZZERS)
  target_compile_options(p2mpp_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(P2MPP_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_definitions(p2mpp_options INTERFACE _GLIBCXX_ASSERTIONS)
endif()

# p2mpp_auto_option(NAME VARIABLE HELP): the cache option NAME, which is auto (the default), on or off; sets VARIABLE to its value
# in lower case. Fails for any other value.
function(p2mpp_auto_option name variable help)
  set(${name} auto CACHE STRING "${help}")
  set_property(CACHE ${name} PROPERTY STRINGS auto on off)
  string(TOLOWER "${${name}}" wanted)
  if(NOT wanted MATCHES "^(auto|on|off)$")
    message(FATAL_ERROR "${name} is '${${name}}'; expected auto, on or off")
  endif()
  set(${variable} ${wanted} PARENT_SCOPE)
endfunction()
