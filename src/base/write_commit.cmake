# Writes OUTPUT, a header that defines P2MPP_COMMIT, only when the commit has changed. Run at every build:
#   cmake -DSOURCE=... -DOUTPUT=... -P write_commit.cmake
set(commit unknown)
find_program(GIT git)
if(GIT)
  # Of this repository only: an archive unpacked inside of somebody's own repository has a prefix there, and no commit.
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-prefix
                  RESULT_VARIABLE failed OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed AND prefix STREQUAL "")
    execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(described)
      set(commit ${described})
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once\n#define P2MPP_COMMIT \"${commit}\"\n")
