# The targets "format" (formats the sources with clang-format) and "tidy" (runs clang-tidy on the compiled sources).
find_program(P2MPP_CLANG_FORMAT clang-format)
if(P2MPP_CLANG_FORMAT)
  file(GLOB_RECURSE P2MPP_STYLED_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h ${PROJECT_SOURCE_DIR}/src/*.h
       ${PROJECT_SOURCE_DIR}/src/*.cc ${PROJECT_SOURCE_DIR}/src/*.cu ${PROJECT_SOURCE_DIR}/tests/*.h ${PROJECT_SOURCE_DIR}/tests/*.cc ${PROJECT_SOURCE_DIR}/bench/*.h
       ${PROJECT_SOURCE_DIR}/bench/*.cc)
  add_custom_target(format COMMAND ${P2MPP_CLANG_FORMAT} -i ${P2MPP_STYLED_SOURCES} VERBATIM)
endif()

find_program(P2MPP_RUN_CLANG_TIDY run-clang-tidy)
if(P2MPP_RUN_CLANG_TIDY)
  add_custom_target(tidy COMMAND ${P2MPP_RUN_CLANG_TIDY} -quiet -p ${PROJECT_BINARY_DIR} "${PROJECT_SOURCE_DIR}/(src|tests)/"
                    USES_TERMINAL VERBATIM)
endif()
