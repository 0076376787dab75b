# Help, version, usage errors, options' origins, log and stdout.
p2mpp_cli_test(help ARGS --help STDOUT "Usage: p2mpp SUBCOMMAND.*Exit codes:.*4  some samples.*Examples:")
p2mpp_cli_test(help_after_subcommand ARGS predict --help STDOUT "Usage: p2mpp predict \\[SAMPLE...\\].*--device.*Examples:")
p2mpp_cli_test(help_before_subcommand ARGS --help metrics STDOUT "Usage: p2mpp metrics PRED TRUTH")
p2mpp_cli_test(help_despite_errors ARGS metrics --batch none --help STDOUT "Usage: p2mpp metrics")
p2mpp_cli_test(version ARGS --version STDOUT "^p2mpp [0-9.]+ \\(commit [^,]+, [^,]+, LibTorch (2[0-9.]+|none), .*\\)\n$")
p2mpp_cli_test(small_stack SHELL "ulimit -s 64; \"$P2MPP\" --version" EXIT 1
               STDERR "^p2mpp: error: the stack is too small. expected at least 1 MiB")

p2mpp_cli_test(last_value_counts ARGS info --model nowhere --model $INPUTS/models/tiny STDOUT "\nmodel +tiny\n")

# Command line, then environment, then file.
p2mpp_cli_test(environment ARGS info ENV P2MPP_JSON=1 JSON environment.cpu)
p2mpp_cli_test(environment_of_another_subcommand ARGS info ENV P2MPP_FRAME=moon STDOUT "p2mpp  ")
p2mpp_cli_test(environment_empty ARGS info ENV P2MPP_BATCH= STDOUT "p2mpp  ")
p2mpp_cli_test(command_line_over_environment ARGS info --batch 2 ENV P2MPP_BATCH=x STDOUT "p2mpp  ")
p2mpp_cli_test(environment_over_config ARGS info --config $INPUTS/files/bad-value.toml ENV P2MPP_BATCH=2 STDOUT "p2mpp  ")
p2mpp_cli_test(command_line_over_config ARGS info --config $INPUTS/files/bad-value.toml --batch 2 STDOUT "p2mpp  ")

# stdout and log.
p2mpp_cli_test(stdout_closed SHELL "set -o pipefail; \"$P2MPP\" --help | head -n 1" STDOUT "^Reconstructs [^\n]*\n$")
p2mpp_cli_test(stdout_closed_does_not_stop_the_work
               SHELL "set -o pipefail; \"$P2MPP\" predict --model \"$INPUTS/models/tiny\" \"$INPUTS/samples/photos\" | true"
               CREATES photos_predict.obj photos_predict.xyz)
p2mpp_cli_test(colours_on_a_terminal_only ARGS info --batch 0 EXIT 2 NOT_STDERR "\\[")
p2mpp_cli_test(colours_on_a_terminal SHELL "TERM=xterm script -qec '\"$P2MPP\" info --batch 0' /dev/null | cat -v" ERRORS 0
               STDOUT "p2mpp: .*\\^\\[.*error")
p2mpp_cli_test(no_color SHELL "TERM=xterm NO_COLOR=1 script -qec '\"$P2MPP\" info --batch 0' /dev/null | cat -v" ERRORS 0
               STDOUT "p2mpp: error: --batch")
