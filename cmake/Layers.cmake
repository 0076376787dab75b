# A layer is a folder of src/ and a static library. It may include the headers of the layers in its DEPENDS and PRIVATE,
# and those of the layers in their DEPENDS. Every build runs the target check_layers, which fails on any other include.

# p2mpp_add_layer(NAME [FOLDER FOLDER] SOURCES ... [HEADERS ...] [DEPENDS ...] [PRIVATE ...] [PRECOMPILE ...]
# [LIGHTLY_OPTIMISED]): the library p2mpp_NAME, built from src/FOLDER. HEADERS: headers outside the folder that belong
# to the layer, as an include names them. DEPENDS and PRIVATE: layers (p2mpp_...) and third-party targets. PRECOMPILE:
# large headers that most sources include. LIGHTLY_OPTIMISED: for code that does not compute; it is compiled with -O1,
# which saves a third of the compile time. If P2MPP_UNITY_BUILD is set, sources are compiled in groups.
function(p2mpp_add_layer name)
  cmake_parse_arguments(LAYER "LIGHTLY_OPTIMISED" "FOLDER" "SOURCES;HEADERS;DEPENDS;PRIVATE;PRECOMPILE" ${ARGN})
  if(NOT LAYER_FOLDER)
    set(LAYER_FOLDER ${name})
  endif()
  add_library(p2mpp_${name} STATIC ${LAYER_SOURCES})
  target_include_directories(p2mpp_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(p2mpp_${name} PUBLIC ${LAYER_DEPENDS} PRIVATE p2mpp_options ${LAYER_PRIVATE})
  # In groups of sources, a precompiled header saves nothing.
  if(LAYER_PRECOMPILE AND P2MPP_PRECOMPILE_HEADERS AND NOT P2MPP_UNITY_BUILD)
    target_precompile_headers(p2mpp_${name} PRIVATE ${LAYER_PRECOMPILE})
  endif()
  if(LAYER_LIGHTLY_OPTIMISED AND CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(p2mpp_${name} PRIVATE -O1)
  endif()
  if(P2MPP_UNITY_BUILD)
    set_target_properties(p2mpp_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 24)
  endif()
  p2mpp_declare_layer(${name} FOLDER ${LAYER_FOLDER} HEADERS ${LAYER_HEADERS} DEPENDS ${LAYER_DEPENDS}
                      PRIVATE ${LAYER_PRIVATE})
endfunction()

# Registers a layer for check_layers only, for a folder that is compiled in another way.
function(p2mpp_declare_layer name)
  cmake_parse_arguments(LAYER "" "FOLDER" "HEADERS;DEPENDS;PRIVATE" ${ARGN})
  foreach(kind DEPENDS PRIVATE)
    set(${kind} "")
    foreach(target ${LAYER_${kind}})
      if(target MATCHES "^p2mpp_(.*)$")
        get_property(seen_through GLOBAL PROPERTY P2MPP_LAYER_${CMAKE_MATCH_1})
        list(APPEND ${kind} ${CMAKE_MATCH_1} ${seen_through})
      endif()
    endforeach()
  endforeach()
  set(below ${DEPENDS} ${PRIVATE})
  list(REMOVE_DUPLICATES below)
  list(REMOVE_DUPLICATES DEPENDS)
  set_property(GLOBAL PROPERTY P2MPP_LAYER_${name} "${DEPENDS}")
  list(JOIN below " " below)
  list(JOIN LAYER_HEADERS " " headers)
  set_property(GLOBAL APPEND_STRING PROPERTY P2MPP_LAYER_TABLE "${name}|${LAYER_FOLDER}|${headers}|${below}\n")
endfunction()

# Call this after all layers have been added.
function(p2mpp_check_layers)
  get_property(table GLOBAL PROPERTY P2MPP_LAYER_TABLE)
  set(file ${PROJECT_BINARY_DIR}/layers.txt)
  file(GENERATE OUTPUT ${file} CONTENT "${table}")
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.h ${PROJECT_SOURCE_DIR}/src/*.cc
       ${PROJECT_SOURCE_DIR}/src/*.cu ${PROJECT_SOURCE_DIR}/include/p2mpp/*.h)
  set(stamp ${PROJECT_BINARY_DIR}/layers.checked)
  set(script ${PROJECT_SOURCE_DIR}/cmake/check_layers.cmake)
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DLAYERS=${file} -P ${script}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${headers} ${file} ${script} COMMENT "Checking that no layer includes what lies above it" VERBATIM)
  add_custom_target(check_layers ALL DEPENDS ${stamp})
  add_dependencies(p2mpp check_layers)
endfunction()
