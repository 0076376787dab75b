# Help, version, usage errors, options' origins, log and stdout.
p2mpp_cli_test(help ARGS --help STDOUT "Usage: p2mpp SUBCOMMAND.*Exit codes:.*4  some samples.*Examples:")
p2mpp_cli_test(help_after_subcommand ARGS predict --help STDOUT "Usage: p2mpp predict \\[SAMPLE...\\].*--device.*Examples:")
p2mpp_cli_test(help_before_subcommand ARGS --help metrics STDOUT "Usage: p2mpp metrics PRED TRUTH")
p2mpp_cli_test(help_despite_errors ARGS metrics --batch none --help STDOUT "Usage: p2mpp metrics")
p2mpp_cli_test(version ARGS --version STDOUT "^p2mpp [0-9.]+ \\(commit [^,]+, [^,]+, LibTorch (2[0-9.]+|none), .*\\)\n$")
p2mpp_cli_test(version_after_subcommand ARGS info --version STDOUT "^p2mpp [0-9.]+")
p2mpp_cli_test(no_arguments EXIT 2 STDERR "no subcommand.*Usage: p2mpp SUBCOMMAND.*See p2mpp --help")
p2mpp_cli_test(no_subcommand ARGS --json EXIT 2 STDERR "no subcommand")

p2mpp_cli_test(mistyped_subcommand ARGS predcit x EXIT 2 STDERR "no subcommand 'predcit'. did you mean 'predict'")
p2mpp_cli_test(unknown_subcommand ARGS frobnicate EXIT 2 STDERR "no subcommand 'frobnicate'. see p2mpp --help")
p2mpp_cli_test(mistyped_option ARGS --modle x info EXIT 2 STDERR "no option '--modle'. did you mean '--model'")
p2mpp_cli_test(mistyped_option_with_value ARGS info --modle=x EXIT 2 STDERR "no option '--modle'. did you mean '--model'")
p2mpp_cli_test(mistyped_subcommand_option ARGS predict --fraem world x EXIT 2
               STDERR "no option '--fraem'. did you mean '--frame'.*p2mpp predict --help")
p2mpp_cli_test(option_of_another_subcommand ARGS info --frame world EXIT 2 STDERR "no option '--frame'")
p2mpp_cli_test(missing_value ARGS info --model EXIT 2 STDERR "--model: expected a value \\(FOLDER\\)")
p2mpp_cli_test(empty_value SHELL "\"$P2MPP\" info --model ''" EXIT 2 STDERR "--model: expected a path. got ''")
p2mpp_cli_test(too_many_arguments ARGS metrics a b c EXIT 2 STDERR "'c' is one argument too many")
p2mpp_cli_test(missing_argument ARGS metrics a EXIT 2 STDERR "TRUTH is required. see p2mpp metrics --help")
p2mpp_cli_test(two_subcommands ARGS info metrics EXIT 2 STDERR "'metrics' is one argument too many")

p2mpp_cli_test(bad_batch ARGS info --batch 0 EXIT 2 STDERR "--batch: expected auto or a whole number from 1 to 1024. got '0'")
p2mpp_cli_test(bad_memory_share ARGS info --memory-share 0 EXIT 2 STDERR "--memory-share: expected a number above 0 and up to 1. got '0'")
p2mpp_cli_test(bad_batch_text ARGS info --batch 4x EXIT 2 STDERR "--batch: expected auto or a whole number from 1 to 1024. got '4x'")
p2mpp_cli_test(bad_threads ARGS info --threads -3 EXIT 2 STDERR "--threads: expected a whole number from 0 to 1024. got '-3'")
p2mpp_cli_test(bad_warmup ARGS info --warmup 1e9 EXIT 2 STDERR "--warmup: expected a whole number from -1 to 1000")
p2mpp_cli_test(bad_device ARGS info --device gpu EXIT 2 STDERR "--device: expected auto, cpu, cuda or cuda:N. got 'gpu'")
p2mpp_cli_test(bad_device_index ARGS info --device cuda:x EXIT 2 STDERR "--device: expected auto, cpu, cuda or cuda:N")
p2mpp_cli_test(bad_backend ARGS info --backend onnx EXIT 2 STDERR "--backend: expected auto, fused, torchscript.*got 'onnx'")
p2mpp_cli_test(bad_precision ARGS info --precision int4 EXIT 2 STDERR "--precision: expected auto, fp32, tf32, bf16, fp16, fp8. got 'int4'")
p2mpp_cli_test(bad_view ARGS info --views 0,x EXIT 2 STDERR "--views: expected auto or a whole number from 0 to 9999. got 'x'")
p2mpp_cli_test(one_view ARGS info --views 1 EXIT 2 STDERR "--views: expected 2 to 64 views. got 1")
p2mpp_cli_test(auto_among_views ARGS info --views 0,auto EXIT 2 STDERR "--views: cannot mix auto with numbers. expected one or the other")
p2mpp_cli_test(stage_views_of_one_stage ARGS info --stage-views 3 EXIT 2 STDERR "--stage-views")
p2mpp_cli_test(too_many_views ARGS info --views 65 EXIT 2 STDERR "--views: expected 2 to 64 views. got 65")
p2mpp_cli_test(quiet_and_verbose ARGS info --quiet --verbose EXIT 2 STDERR "--quiet and --verbose: expected one of them")
p2mpp_cli_test(two_precisions ARGS info --no-tf32 --precision tf32 EXIT 2 STDERR "--no-tf32 and --precision tf32")
p2mpp_cli_test(last_value_counts ARGS info --model nowhere --model $INPUTS/models/tiny STDOUT "\nmodel +tiny\n")

# Command line, then environment, then file.
p2mpp_cli_test(environment ARGS info ENV P2MPP_JSON=1 JSON environment.cpu)
p2mpp_cli_test(environment_bad_value ARGS info ENV P2MPP_BATCH=x EXIT 2 STDERR "--batch: expected .* got 'x' \\(in P2MPP_BATCH\\)")
p2mpp_cli_test(environment_bad_flag ARGS info ENV P2MPP_JSON=maybe EXIT 2 STDERR "--json: expected true, .* \\(in P2MPP_JSON\\)")
p2mpp_cli_test(environment_of_another_subcommand ARGS info ENV P2MPP_FRAME=moon STDOUT "p2mpp  ")
p2mpp_cli_test(environment_of_a_subcommand ARGS predict x ENV P2MPP_FRAME=moon EXIT 2 STDERR "--frame: .*\\(in P2MPP_FRAME\\)")
p2mpp_cli_test(environment_list ARGS predict --model $INPUTS/models/tiny $INPUTS/samples/shape ENV P2MPP_VIEWS=6,7
               CREATES shape_predict.obj)
p2mpp_cli_test(environment_bad_list ARGS info ENV P2MPP_VIEWS=6,x EXIT 2
               STDERR "--views: expected .* got 'x' \\(in P2MPP_VIEWS\\)")
p2mpp_cli_test(environment_list_of_missing_views ARGS predict --model $INPUTS/models/tiny $INPUTS/samples/shape
               ENV P2MPP_VIEWS=1,2 EXIT 3 STDERR "01.png: cannot be opened")
p2mpp_cli_test(environment_empty ARGS info ENV P2MPP_BATCH= STDOUT "p2mpp  ")
p2mpp_cli_test(command_line_over_environment ARGS info --batch 2 ENV P2MPP_BATCH=x STDOUT "p2mpp  ")
p2mpp_cli_test(environment_over_config ARGS info --config $INPUTS/files/bad-value.toml ENV P2MPP_BATCH=2 STDOUT "p2mpp  ")
p2mpp_cli_test(command_line_over_config ARGS info --config $INPUTS/files/bad-value.toml --batch 2 STDOUT "p2mpp  ")
p2mpp_cli_test(config_in_environment ARGS info ENV P2MPP_CONFIG=$INPUTS/files/bad-value.toml EXIT 2
               STDERR "--batch: expected .* got 'many' \\(in .*bad-value.toml\\)")
p2mpp_cli_test(config_example ARGS info --config ${PROJECT_SOURCE_DIR}/p2mpp.example.toml STDOUT "p2mpp  ")
p2mpp_cli_test(config_bad_value ARGS info --config $INPUTS/files/bad-value.toml EXIT 2
               STDERR "--batch: expected auto or a whole number .* got 'many' \\(in .*bad-value.toml\\)")
p2mpp_cli_test(config_unknown_key ARGS info --config $INPUTS/files/unknown-key.toml EXIT 2
               STDERR "unknown-key.toml: unknown key 'bacth'. did you mean 'batch'")
p2mpp_cli_test(config_unknown_section_key ARGS info --config $INPUTS/files/unknown-section-key.toml EXIT 2
               STDERR "unknown key 'predict.frames'. did you mean 'predict.frame'")
p2mpp_cli_test(config_unknown_section ARGS info --config $INPUTS/files/unknown-section.toml EXIT 2
               STDERR "unknown section 'perdict'. did you mean 'predict'")
p2mpp_cli_test(config_not_an_option ARGS info --config $INPUTS/files/not-configurable.toml EXIT 2 STDERR "unknown key 'help'")
p2mpp_cli_test(config_binary ARGS info --config $INPUTS/files/binary.toml EXIT 2 STDERR "unknown key '.x01")
p2mpp_cli_test(config_missing ARGS info --config nowhere.toml EXIT 2 STDERR "nowhere.toml: cannot be opened: no such file")
p2mpp_cli_test(config_missing_in_environment ARGS info ENV P2MPP_CONFIG=nowhere.toml EXIT 2 STDERR "nowhere.toml: cannot be opened: no such file")
p2mpp_cli_test(config_is_a_folder ARGS info --config $INPUTS EXIT 2 STDERR "is a folder. expected a regular file")
p2mpp_cli_test(config_is_a_pipe SHELL "mkfifo pipe; timeout 10 \"$P2MPP\" info --config pipe" EXIT 2 STDERR "pipe: is a named pipe. expected a regular file")
p2mpp_cli_test(config_is_a_pipe_in_environment SHELL "mkfifo pipe; P2MPP_CONFIG=pipe timeout 10 \"$P2MPP\" info" EXIT 2 STDERR "pipe: is a named pipe")
p2mpp_cli_test(config_is_a_device ARGS info --config /dev/zero EXIT 2 STDERR "is a device. expected a regular file")
p2mpp_cli_test(config_is_nothing SHELL "\"$P2MPP\" info --config ''" EXIT 2 STDERR "--config: expected a path")
p2mpp_cli_test(config_is_too_large SHELL "truncate -s 2M large.toml; \"$P2MPP\" info --config large.toml" EXIT 2 STDERR "large.toml: has 2097152 bytes. expected at most 1048576")

# stdout and log.
p2mpp_cli_test(stdout_full SHELL "\"$P2MPP\" info > /dev/full" EXIT 1 STDERR "stdout: No space left on device")
p2mpp_cli_test(stdout_closed SHELL "set -o pipefail; \"$P2MPP\" --help | head -n 1" STDOUT "^Reconstructs [^\n]*\n$")
p2mpp_cli_test(stdout_closed_does_not_stop_the_work
               SHELL "set -o pipefail; \"$P2MPP\" predict --model \"$INPUTS/models/tiny\" \"$INPUTS/samples/photos\" | true"
               CREATES photos_predict.obj photos_predict.xyz)
p2mpp_cli_test(colours_on_a_terminal_only ARGS info --batch 0 EXIT 2 NOT_STDERR "\\[")
p2mpp_cli_test(colours_on_a_terminal SHELL "TERM=xterm script -qec '\"$P2MPP\" info --batch 0' /dev/null | cat -v" ERRORS 0
               STDOUT "p2mpp: .*\\^\\[.*error")
p2mpp_cli_test(no_color SHELL "TERM=xterm NO_COLOR=1 script -qec '\"$P2MPP\" info --batch 0' /dev/null | cat -v" ERRORS 0
               STDOUT "p2mpp: error: --batch")
p2mpp_cli_test(control_characters_in_names SHELL "\"$P2MPP\" predict --model $'no\\nsuch\\e[31m'" EXIT 3
               STDERR "no.x0asuch.x1b")
p2mpp_cli_test(bad_instruction_set ARGS predict $INPUTS/samples/shape --model $INPUTS/models/tiny --instruction-set mmx --out out EXIT 2
               STDERR "instruction_set mmx: no such instruction set. expected auto, portable")
