# Run after a test executable is linked: writes a CTest file in which every suite of EXECUTABLE is a test PREFIX/SUITE. One
# process runs all cases of a suite, so what they share, such as a model, is made once.
# PREFIX is the tests' label, too. FIXTURES: what they need. LEFT_OUT: cases to leave out, as GTest's patterns joined by
# ":". FILE: what to write. EMULATOR: what runs EXECUTABLE, if it is for another processor.
if(LEFT_OUT)
  set(left_out "-${LEFT_OUT}")
endif()
execute_process(COMMAND ${EMULATOR} ${EXECUTABLE} --gtest_list_tests "--gtest_filter=*${left_out}" OUTPUT_VARIABLE listed
                RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${EXECUTABLE} --gtest_list_tests: ${status}\n${listed}")
endif()
string(REPLACE ";" "" listed "${listed}") # of parameters, in comments
string(REPLACE "[" "" listed "${listed}")
string(REPLACE "]" "" listed "${listed}")
string(REPLACE "\n" ";" lines "${listed}")
list(TRANSFORM EMULATOR REPLACE "(.+)" "[=[\\1]=] " OUTPUT_VARIABLE emulator)
list(JOIN emulator "" emulator)
set(content "")
foreach(line IN LISTS lines)
  if(line MATCHES "^([A-Za-z0-9_/]+)\\.( +#.*)?$")
    set(suite ${CMAKE_MATCH_1})
    string(APPEND content "add_test([=[${PREFIX}/${suite}]=] ${emulator}[=[${EXECUTABLE}]=] [=[--gtest_filter=${suite}.*${left_out}]=])\n"
                          "set_tests_properties([=[${PREFIX}/${suite}]=] PROPERTIES LABELS [=[${PREFIX}]=] SKIP_RETURN_CODE 77"
                          " FIXTURES_REQUIRED [=[${FIXTURES}]=])\n")
  endif()
endforeach()
file(WRITE ${FILE} "${content}")
