# p2mpp_cli_test(NAME ...): one CTest test cli/NAME that runs the program once and checks what it did.
#   ARGS ...            the command line; "$INPUTS" stands for the folder that make_inputs.py has filled
#   SHELL "COMMAND"     instead of ARGS: a line for bash, with the program as "$P2MPP" and the folder as "$INPUTS"
#   SCRIPT              instead of ARGS: bash runs scripts/NAME.sh, with these variables and "$PYTHON"
#   ENV NAME=VALUE ...  the environment; what else begins with P2MPP_ is taken out of it, but for
#                       P2MPP_DEVICE=cpu and P2MPP_THREADS=1
#   EXIT code           expected exactly; 0 where it is left out
#   STDOUT regex        a result is expected; where it is left out and the exit code is not 0, stdout must be empty
#   STDERR regex        expected in the log
#   NOT_STDERR regex    not expected in the log
#   ERRORS count        lines of the log that begin with "p2mpp: error: "; 0 or 1 as the exit code says where it is left out
#   JSON key ...        stdout must be one JSON document with these keys (or paths of keys: samples.0.id)
#   CREATES file ...    files that must be there afterwards, in the test's own working folder
#   NO_FILES_IN folder  no file may be in or below it, neither whole nor temporary
#   UNSANITIZED         too slow with a sanitizer, and reaches no code that others do not reach: gets the label unsanitized,
#                       as do all cases of a file that sets P2MPP_UNSANITIZED
function(p2mpp_cli_test name)
  cmake_parse_arguments(PARSE_ARGV 1 TEST "SCRIPT;UNSANITIZED" "SHELL;EXIT;STDOUT;STDERR;NOT_STDERR;ERRORS;NO_FILES_IN"
                        "ARGS;ENV;CREATES;JSON")
  if(TEST_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "cli/${name}: what is ${TEST_UNPARSED_ARGUMENTS}?")
  endif()
  if(TEST_SCRIPT)
    set(TEST_SHELL ". '${CMAKE_CURRENT_FUNCTION_LIST_DIR}/scripts/${name}.sh'")
  endif()
  set(script ${CMAKE_CURRENT_BINARY_DIR}/cases/${name}.cmake)
  set(content "set(program [==[${PROJECT_BINARY_DIR}/p2mpp]==])\nset(inputs [==[${P2MPP_CLI_INPUTS}]==])\nset(python [==[${P2MPP_PYTHON}]==])\n")
  string(APPEND content "set(work [==[${CMAKE_CURRENT_BINARY_DIR}/work/${name}]==])\n")
  foreach(variable SHELL EXIT STDOUT STDERR NOT_STDERR ERRORS JSON NO_FILES_IN ARGS ENV CREATES)
    if(DEFINED TEST_${variable})
      string(APPEND content "set(TEST_${variable} [==[${TEST_${variable}}]==])\n")
    endif()
  endforeach()
  file(WRITE ${script} "${content}include([==[${CMAKE_CURRENT_FUNCTION_LIST_DIR}/run_cli_test.cmake]==])\n")
  add_test(NAME cli/${name} COMMAND ${CMAKE_COMMAND} -P ${script})
  set(labels cli)
  if(TEST_UNSANITIZED OR P2MPP_UNSANITIZED)
    list(APPEND labels unsanitized)
  endif()
  set_tests_properties(cli/${name} PROPERTIES LABELS "${labels}" FIXTURES_REQUIRED cli_inputs TIMEOUT 120)
endfunction()

# p2mpp_refusals(NAME): the CTest test cli/refuses_NAME runs the command lines of refusals/NAME.txt, which the program must
# refuse (refusals.sh).
function(p2mpp_refusals name)
  add_test(NAME cli/refuses_${name} COMMAND ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/refusals.sh ${PROJECT_BINARY_DIR}/p2mpp
           ${P2MPP_CLI_INPUTS} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/refusals/${name}.txt
           ${CMAKE_CURRENT_BINARY_DIR}/work/refuses_${name})
  set_tests_properties(cli/refuses_${name} PROPERTIES LABELS cli FIXTURES_REQUIRED cli_inputs)
endfunction()
