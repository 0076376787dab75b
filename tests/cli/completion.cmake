# Scripts for shells; where a shell is not installed, its test is skipped.
foreach(shell bash zsh fish)
  add_test(NAME cli/completion_in_${shell}
           COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/completion_in_${shell}.sh ${PROJECT_BINARY_DIR}/p2mpp)
  set_tests_properties(cli/completion_in_${shell} PROPERTIES LABELS "cli;unsanitized" SKIP_RETURN_CODE 77)
endforeach()
