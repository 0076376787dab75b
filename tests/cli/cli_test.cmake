# p2mpp_cli_test(NAME ...): one CTest test cli/NAME that runs the program once and checks what it did.
#   ARGS ...            the command line; "$INPUTS" stands for the folder that make_inputs.py has filled
#   SHELL "COMMAND"     instead of ARGS: a line for bash, with the program as "$P2MPP" and the folder as "$INPUTS"
#   ENV NAME=VALUE ...  the environment; what else begins with P2MPP_ is taken out of it, but for
#                       P2MPP_DEVICE=cpu and P2MPP_THREADS=1
#   EXIT code           expected exactly; 0 where it is left out
#   STDOUT regex        a result is expected; where it is left out and the exit code is not 0, stdout must be empty
#   STDERR regex        expected in the log
#   NOT_STDERR regex    not expected in the log
#   ERRORS count        lines of the log that begin with "p2mpp: error: "; 0 or 1 as the exit code says where it is left out
#   JSON key            stdout must be one JSON document with this key (or path of keys: samples.0.id)
#   CREATES file ...    files that must be there afterwards, in the test's own working folder
#   NO_FILES_IN folder  no file may be in or below it, neither whole nor temporary
function(p2mpp_cli_test name)
  cmake_parse_arguments(PARSE_ARGV 1 TEST "" "SHELL;EXIT;STDOUT;STDERR;NOT_STDERR;ERRORS;JSON;NO_FILES_IN"
                        "ARGS;ENV;CREATES")
  if(TEST_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "cli/${name}: what is ${TEST_UNPARSED_ARGUMENTS}?")
  endif()
  set(script ${CMAKE_CURRENT_BINARY_DIR}/cases/${name}.cmake)
  set(content "set(program [==[${PROJECT_BINARY_DIR}/p2mpp]==])\nset(inputs [==[${P2MPP_CLI_INPUTS}]==])\n")
  string(APPEND content "set(work [==[${CMAKE_CURRENT_BINARY_DIR}/work/${name}]==])\n")
  foreach(variable SHELL EXIT STDOUT STDERR NOT_STDERR ERRORS JSON NO_FILES_IN ARGS ENV CREATES)
    if(DEFINED TEST_${variable})
      string(APPEND content "set(TEST_${variable} [==[${TEST_${variable}}]==])\n")
    endif()
  endforeach()
  file(WRITE ${script} "${content}include([==[${CMAKE_CURRENT_FUNCTION_LIST_DIR}/run_cli_test.cmake]==])\n")
  add_test(NAME cli/${name} COMMAND ${CMAKE_COMMAND} -P ${script})
  set_tests_properties(cli/${name} PROPERTIES LABELS cli FIXTURES_REQUIRED cli_inputs TIMEOUT 120)
endfunction()
