# What `selftest` checks and says. One instruction set and precision where that is enough: each takes a second or two.
set(P2MPP_UNSANITIZED ON)
p2mpp_cli_test(selftest ARGS selftest --instruction-set portable --precision bf16
               STDOUT "commit +[^\n]+\n.*\nok +cpu portable +bf16 +convolution: [0-9.e-]+ .at most .*\nok +cpu portable +bf16 +whole network, clean, mean: .*\nrate +cpu +bf16 +[0-9.]+ GB/s.*\n[0-9]+ checks, 0 failed\n$")
p2mpp_cli_test(selftest_every_instruction_set ARGS selftest --precision fp32 --json
               STDOUT "\"passed\": true,\n *\"note\".*\"cpu portable\"" JSON checks.0.error rates.0.copied_gb_per_s environment.commit)
unset(P2MPP_UNSANITIZED)
