# The sources of libraries that are not installed on the system: a release's commit (whose hash also verifies the
# contents), and a target of the same name as the system package's. The libraries' own CMake files are not used, so that
# their options, warnings, tests and installed files do not affect this build; libjpeg-turbo is the exception.
# p2mpp_fetch_PACKAGE() fetches PACKAGE, defines its target and notes its version.
include(FetchContent)

# Downloads REPOSITORY at COMMIT, the release VERSION of PACKAGE; sets P2MPP_FETCHED_DIR for the caller.
function(p2mpp_fetch_sources package version commit repository)
  message(STATUS "Fetching ${package} ${version} from ${repository}")
  string(TOLOWER ${package} name)
  FetchContent_Declare(${name} GIT_REPOSITORY ${repository} GIT_TAG ${commit} SOURCE_SUBDIR not-added-as-a-subdirectory)
  FetchContent_MakeAvailable(${name})
  p2mpp_note_dependency(${package} ${version} fetched)
  set(P2MPP_FETCHED_DIR ${${name}_SOURCE_DIR} PARENT_SCOPE)
endfunction()

# p2mpp_fetched_library(TARGET INCLUDE_DIR [SOURCES...]): a static library, or an interface library without SOURCES.
function(p2mpp_fetched_library target include_dir)
  string(REPLACE "::" "_" library fetched_${target})
  if(ARGN)
    add_library(${library} STATIC ${ARGN})
    target_include_directories(${library} SYSTEM PUBLIC ${include_dir})
  else()
    add_library(${library} INTERFACE)
    target_include_directories(${library} SYSTEM INTERFACE ${include_dir})
  endif()
  add_library(${target} ALIAS ${library})
endfunction()

function(p2mpp_fetch_CLI11)
  p2mpp_fetch_sources(CLI11 2.4.2 6c7b07a878ad834957b98d0f9ce1dbe0cb204fc9 https://github.com/CLIUtils/CLI11.git)
  p2mpp_fetched_library(CLI11::CLI11 ${P2MPP_FETCHED_DIR}/include)
endfunction()

function(p2mpp_fetch_Eigen3)
  p2mpp_fetch_sources(Eigen3 3.4.0 3147391d946bb4b6c68edd901f2add6ac1f31f8c https://gitlab.com/libeigen/eigen.git)
  p2mpp_fetched_library(Eigen3::Eigen ${P2MPP_FETCHED_DIR})
endfunction()

function(p2mpp_fetch_fmt)
  p2mpp_fetch_sources(fmt 10.2.1 e69e5f977d458f2650bb346dadf2ad30c5320281 https://github.com/fmtlib/fmt.git)
  p2mpp_fetched_library(fmt::fmt ${P2MPP_FETCHED_DIR}/include ${P2MPP_FETCHED_DIR}/src/format.cc
                        ${P2MPP_FETCHED_DIR}/src/os.cc)
endfunction()

function(p2mpp_fetch_spdlog)
  p2mpp_fetch_sources(spdlog 1.13.0 7c02e204c92545f869e2f04edaab1f19fe8b19fd https://github.com/gabime/spdlog.git)
  set(sources spdlog stdout_sinks color_sinks file_sinks async cfg)
  list(TRANSFORM sources PREPEND ${P2MPP_FETCHED_DIR}/src/)
  list(TRANSFORM sources APPEND .cpp)
  p2mpp_fetched_library(spdlog::spdlog ${P2MPP_FETCHED_DIR}/include ${sources})
  target_compile_definitions(fetched_spdlog_spdlog PUBLIC SPDLOG_COMPILED_LIB SPDLOG_FMT_EXTERNAL)
  target_link_libraries(fetched_spdlog_spdlog PUBLIC fmt::fmt Threads::Threads)
endfunction()

function(p2mpp_fetch_nlohmann_json)
  p2mpp_fetch_sources(nlohmann_json 3.11.3 9cca280a4d0ccf0c08f47a99aa71d1b0e52f8d03
                      https://github.com/nlohmann/json.git)
  p2mpp_fetched_library(nlohmann_json::nlohmann_json ${P2MPP_FETCHED_DIR}/include)
endfunction()

function(p2mpp_fetch_nanoflann)
  p2mpp_fetch_sources(nanoflann 1.5.5 923c2ac16a955317054c296d298425d33c0cb9de
                      https://github.com/jlblancoc/nanoflann.git)
  p2mpp_fetched_library(nanoflann::nanoflann ${P2MPP_FETCHED_DIR}/include)
endfunction()

function(p2mpp_fetch_tinyobjloader)
  p2mpp_fetch_sources(tinyobjloader 2.0.0rc13 2945a967c5303b2c8c14174117c45f3302591150
                      https://github.com/tinyobjloader/tinyobjloader.git)
  p2mpp_fetched_library(tinyobjloader::tinyobjloader ${P2MPP_FETCHED_DIR} ${P2MPP_FETCHED_DIR}/tiny_obj_loader.cc)
endfunction()

function(p2mpp_fetch_pugixml)
  p2mpp_fetch_sources(pugixml 1.14 db78afc2b7d8f043b4bc6b185635d949ea2ed2a8 https://github.com/zeux/pugixml.git)
  p2mpp_fetched_library(pugixml::pugixml ${P2MPP_FETCHED_DIR}/src ${P2MPP_FETCHED_DIR}/src/pugixml.cpp)
endfunction()

function(p2mpp_fetch_Spng)
  p2mpp_fetch_sources(Spng 0.7.4 fb768002d4288590083a476af628e51c3f1d47cd https://github.com/randy408/libspng.git)
  p2mpp_fetched_library(spng::spng ${P2MPP_FETCHED_DIR}/spng ${P2MPP_FETCHED_DIR}/spng/spng.c)
  target_compile_definitions(fetched_spng_spng PUBLIC SPNG_STATIC)
  target_link_libraries(fetched_spng_spng PUBLIC ZLIB::ZLIB m)
endfunction()

# The decoder alone. Its SIMD sources are empty where the compiler has no flags for them; SSE2 and NEON need none.
function(p2mpp_fetch_WebP)
  p2mpp_fetch_sources(WebP 1.3.2 ca332209cb5567c9b249c86788cb2dbf8847e760 https://github.com/webmproject/libwebp.git)
  file(GLOB sources ${P2MPP_FETCHED_DIR}/src/dec/*.c ${P2MPP_FETCHED_DIR}/src/dsp/*.c ${P2MPP_FETCHED_DIR}/src/utils/*.c)
  p2mpp_fetched_library(WebP::webp ${P2MPP_FETCHED_DIR}/src ${sources})
  target_include_directories(fetched_WebP_webp PRIVATE ${P2MPP_FETCHED_DIR})
endfunction()

# libjpeg-turbo does not support being a subproject, and its SIMD sources need special rules. It is therefore built as
# an external project, at build time.
function(p2mpp_fetch_JPEG)
  include(ExternalProject)
  set(prefix ${CMAKE_BINARY_DIR}/_deps/libjpeg-turbo)
  set(library ${prefix}/lib/libjpeg.a)
  ExternalProject_Add(
    libjpeg_turbo
    GIT_REPOSITORY https://github.com/libjpeg-turbo/libjpeg-turbo.git
    GIT_TAG f29eda648547b36aa594c4116c7764a6c8a079b9 # 3.0.4
    PREFIX ${prefix}
    CMAKE_ARGS -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=${prefix} -DCMAKE_INSTALL_LIBDIR=lib
               -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER} -DENABLE_SHARED=OFF -DWITH_TURBOJPEG=OFF
               -DCMAKE_POSITION_INDEPENDENT_CODE=ON
    BUILD_BYPRODUCTS ${library}
    UPDATE_DISCONNECTED ON
    LOG_DOWNLOAD ON LOG_CONFIGURE ON LOG_BUILD ON LOG_INSTALL ON LOG_OUTPUT_ON_FAILURE ON)
  file(MAKE_DIRECTORY ${prefix}/include)
  add_library(JPEG::JPEG STATIC IMPORTED)
  set_target_properties(JPEG::JPEG PROPERTIES IMPORTED_LOCATION ${library})
  target_include_directories(JPEG::JPEG SYSTEM INTERFACE ${prefix}/include)
  add_dependencies(JPEG::JPEG libjpeg_turbo)
  p2mpp_note_dependency(JPEG 3.0.4 "fetched when building")
endfunction()

function(p2mpp_fetch_GTest)
  p2mpp_fetch_sources(GTest 1.15.2 b514bdc898e2951020cbdca1304b75f5950d1f59 https://github.com/google/googletest.git)
  set(root ${P2MPP_FETCHED_DIR}/googletest)
  p2mpp_fetched_library(GTest::gtest_main ${root}/include ${root}/src/gtest-all.cc ${root}/src/gtest_main.cc)
  target_include_directories(fetched_GTest_gtest_main PRIVATE ${root})
  target_link_libraries(fetched_GTest_gtest_main PUBLIC Threads::Threads)
endfunction()

function(p2mpp_fetch_benchmark)
  p2mpp_fetch_sources(benchmark 1.9.1 c58e6d0710581e3a08d65c349664128a8d9a2461 https://github.com/google/benchmark.git)
  file(GLOB sources ${P2MPP_FETCHED_DIR}/src/*.cc)
  list(REMOVE_ITEM sources ${P2MPP_FETCHED_DIR}/src/benchmark_main.cc)
  p2mpp_fetched_library(benchmark::benchmark ${P2MPP_FETCHED_DIR}/include ${sources})
  target_compile_definitions(fetched_benchmark_benchmark PUBLIC BENCHMARK_STATIC_DEFINE
                             PRIVATE BENCHMARK_VERSION="v1.9.1" HAVE_STEADY_CLOCK)
  target_link_libraries(fetched_benchmark_benchmark PUBLIC Threads::Threads)
endfunction()
