# Scripts for shells; where a shell is not installed, its test is skipped.
p2mpp_cli_test(completion_no_shell ARGS completion EXIT 2 STDERR "SHELL is required")
p2mpp_cli_test(completion_unknown_shell ARGS completion tcsh EXIT 2 STDERR "SHELL: expected bash, zsh, fish. got 'tcsh'")
p2mpp_cli_test(completion_zsh ARGS completion zsh STDOUT "^#compdef p2mpp\n.*'--device=.*:\\(auto cpu cuda\\)'")
p2mpp_cli_test(completion_fish ARGS completion fish STDOUT "complete -c p2mpp -l device -x -a 'auto cpu cuda'")
foreach(shell bash zsh fish)
  add_test(NAME cli/completion_in_${shell}
           COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/completion_in_${shell}.sh ${PROJECT_BINARY_DIR}/p2mpp)
  set_tests_properties(cli/completion_in_${shell} PROPERTIES LABELS cli SKIP_RETURN_CODE 77)
endforeach()
