# What `bench` prints, in each format, and what it does with combinations that a machine cannot do.
set(bench_and_baseline ARGS bench --model $INPUTS/models/tiny --warmup 1 --repeats 2)
set(bench ${bench_and_baseline} --no-baseline)

if(P2MPP_HAS_TORCHSCRIPT)
  p2mpp_cli_test(bench_markdown ${bench_and_baseline} STDERR "info: measuring cpu [a-z]+ fp32 batch 1"
                 STDOUT "device +. backend +. precision +. batch +. +median .*cpu +. [a-z]+ +. fp32 .* 1\\.00 .*. preprocess .*. copy_in .*. cnn1 .*. gcn .*. cnn2 .*. projection .*. drb .*. copy_out .*. total .*- gemm_rate: fp32 on 1 threads [0-9, -]+ GFLOP/s\n- model: tiny\n.*- sample: synthetic\n.*- cpu: .*- gpu: .*- commit: .*- libtorch: 2\\.")
  p2mpp_cli_test(bench_json_baseline ${bench_and_baseline} --batch 2 --json --trace trace.json CREATES trace.json
                 JSON results.0.total.share_of_gemm_rate results.0.gemm_gflops results.1.speedup)
  p2mpp_cli_test(bench_skips_what_a_backend_lacks ${bench_and_baseline} --backend torchscript --precision fp32,bf16
                 STDOUT "- skipped: cpu torchscript bf16 1: precision bf16: the backend torchscript does not support it on cpu. expected fp32\n")
else()
  p2mpp_cli_test(bench_without_libtorch ${bench_and_baseline}
                 STDOUT "- skipped: cpu torchscript fp32 1: this p2mpp was built without LibTorch, .*setup.sh --all.*- libtorch: none .the backend torchscript, and bench's baseline and GEMM rate, need it: ")
endif()

set(parts preprocess copy_in cnn1 gcn cnn2 projection drb copy_out)
list(TRANSFORM parts REPLACE "(.+)" "results.0.parts.\\1.median")
p2mpp_cli_test(bench_json ${bench} --repeats 1 --json
               JSON ${parts} results.0.total.median results.0.parts.drb.flop environment.commit)
p2mpp_cli_test(bench_batches ${bench} --batch 1,2 --batch 3 --json JSON results.2.total.p95)
p2mpp_cli_test(bench_sample ${bench} --batch 1 --precision fp32,tf32 $INPUTS/samples/two-photos
               STDOUT "- skipped: cpu auto tf32 1: precision tf32: only CUDA devices support it.*- sample: two-photos\n- views: 2\n")
p2mpp_cli_test(bench_out_leaves_stdout_empty SHELL "test -z \"$(\"$P2MPP\" bench --model \"$INPUTS/models/tiny\" --warmup 0 --repeats 1 --no-baseline --format csv --out r.csv)\""
               CREATES r.csv STDERR "info: wrote r.csv")
p2mpp_cli_test(bench_skips_a_device_that_is_not_there ${bench} --device cuda:99,cpu
               STDOUT "- skipped: cuda:99 auto auto 1: device cuda:99: ")
p2mpp_cli_test(bench_measured_batch ${bench} --batch auto STDOUT "\n- batch auto: cpu [a-z]+ fp32: [0-9]+ .measured. [^\n]+.\n" STDERR "measuring cpu [a-z]+ fp32 batch auto")
