# What `selftest` checks and says. One instruction set and precision where that is enough: each takes a second or two.
set(selftest ARGS selftest --instruction-set portable)
p2mpp_cli_test(selftest ${selftest}
               STDOUT "commit +[^\n]+\n.*\nok +cpu portable +fp32 +convolution: [0-9.e-]+ .at most .*\nok +cpu portable +bf16 +whole network, clean, mean: .*\nrate +cpu +fp32 +[0-9.]+ GB/s.*\n[0-9]+ checks, 0 failed\n$")
p2mpp_cli_test(selftest_every_instruction_set ARGS selftest --precision fp32 STDOUT "ok +cpu portable .*, 0 failed\n$")
p2mpp_cli_test(selftest_json ${selftest} --precision bf16 --json JSON checks.0.error)
p2mpp_cli_test(selftest_json_passed ${selftest} --precision fp32 --json STDOUT "\"passed\": true")
p2mpp_cli_test(selftest_json_rate ${selftest} --precision fp32 --json JSON rates.0.copied_gb_per_s)
p2mpp_cli_test(selftest_json_environment ${selftest} --precision fp32 --json JSON environment.commit)
p2mpp_cli_test(selftest_precision_that_a_cpu_lacks ARGS selftest --precision fp16 EXIT 2
               STDERR "precision fp16: no checked device supports it. expected fp32 or bf16 on a CPU")
p2mpp_cli_test(selftest_no_such_precision ARGS selftest --precision int4 EXIT 2 STDERR "--precision: expected .* got 'int4'")
p2mpp_cli_test(selftest_no_such_instruction_set ARGS selftest --instruction-set mmx EXIT 2 STDERR "instruction_set mmx")
p2mpp_cli_test(selftest_no_such_device ARGS selftest --device cuda:99 EXIT 1 STDERR "device cuda:99: ")
p2mpp_cli_test(selftest_too_many_arguments ARGS selftest x EXIT 2 STDERR "'x' is one argument too many")
p2mpp_cli_test(selftest_help ARGS selftest --help STDOUT "Usage: p2mpp selftest.*--precision.*Examples:")
