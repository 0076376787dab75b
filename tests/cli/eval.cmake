# What `eval` prints and writes, for good lists and hostile ones.
function(eval_test name command)
  p2mpp_cli_test(eval_${name} SHELL ". ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/eval_inputs.sh; ${command}" ${ARGN})
endfunction()
set(eval "\"$P2MPP\" eval --model \"$INPUTS/models/tiny\" --images-root images --out out")
set(eval_good "${eval} --list good.txt")
set(eval_hostile "${eval} --list list.txt --truth-root truth")
set(good_files out/chair_a_00_predict.obj out/chair_a_00_predict.xyz out/chair_c_00_predict.obj out/results.csv
               out/summary.json out/report.html)

eval_test(statistics "${eval_good}" CREATES ${good_files}
          STDOUT "^3 of 3 samples reconstructed, 0 failed, 0 not scored\n\nmilliseconds a sample +mean +stdev +min +median +p95 +p99 +max\ntotal +[0-9.]+ .*\n +read .*\n +compute .*\n +preprocess .*\n +copy_in .*\n +cnn1 .*\n +gcn .*\n +cnn2 .*\n +projection .*\n +drb .*\n +copy_out .*\n +write .*\n\nthroughput: [0-9.]+ samples/s computing, [0-9.]+ samples/s end to end\n$")
eval_test(metrics "${eval_good} --truth-root truth && cat out/categories.csv && grep -c 'mean CD x1000' out/report.html" CREATES ${good_files}
          STDOUT "vertices +3 .*\n +chair +3 .*\nsurface .10000 points. +3 .*\nvertices after stage 1 +3 .*\ncategory,count,vertices_chamfer_distance,.*\nchair,3,.*\nall,3,[^\n]*\n1\n$")
eval_test(json_is_the_summary "${eval_good} --truth-root truth --json --batch 2 > printed.json && cmp printed.json out/summary.json && cat printed.json"
          JSON milliseconds_a_sample.parts.drb.p99 metrics.by_category.chair.surface.f1_2tau environment.commit batch.at_last CREATES ${good_files}
          STDOUT "\"mode\": \"given\"")
eval_test(measured_batch "${eval_good} --batch auto" CREATES ${good_files}
          STDOUT "\nbatch: [0-9]+ .measured. [^\n]+.\n$" STDERR "info: batch [0-9]+ .measured. ")
eval_test(measured_batch_within_little_memory "${eval_good} --batch auto --memory-share 1e-6"
          STDOUT "\nbatch: 1 .measured. 2 would have [0-9.]+ of the memory's [0-9.]+ GiB in use, more than the share 1e-06.\n$")
eval_test(example_config "${eval_good} --config '${PROJECT_SOURCE_DIR}/p2mpp.example.toml'" STDOUT "^3 of 3 samples")
eval_test(world_frame
          "${eval_good} --truth-root truth --frame world --json > world.json && mv out world && ${eval_good} --truth-root truth --json > camera0.json && ! cmp -s world/chair_a_00_predict.obj out/chair_a_00_predict.obj && grep chamfer world.json > world.txt && grep chamfer camera0.json | cmp - world.txt")
eval_test(formats "${eval_good} --truth-root truth --format glb,ply && test ! -e out/chair_a_00_predict.obj && grep -c 'reconstruction.,.data:image' out/report.html"
          CREATES out/chair_a_00_predict.glb out/chair_b_00_predict.ply STDOUT "^3 of 3 samples reconstructed.*\n1\n$")
eval_test(normals "${eval_good} --format obj --normals > text.txt && grep -c '^vn ' out/chair_a_00_predict.obj" STDOUT "^162\n$")
eval_test(trace "${eval_good} --truth-root truth --trace trace.json > text.txt && cat trace.json" JSON traceEvents.0.args.name)
eval_test(missing_truth_root_folder "${eval_good} --truth-root nowhere" EXIT 3 NO_FILES_IN out
          STDERR "nowhere: no such folder. expected the root of the ground truth")

# Every bad entry is named; what is good is the same as ever.
eval_test(hostile "${eval_hostile} 2> log.txt; code=$?; . ${CMAKE_CURRENT_LIST_DIR}/eval_hostile.sh && exit $code" EXIT 4 ERRORS 0 CREATES ${good_files} out/chair_untrue_00_predict.obj
          STDOUT "^5 of 17 samples reconstructed, 12 failed, 2 not scored\n")
eval_test(hostile_json "${eval_hostile} --json" EXIT 4 ERRORS 14 JSON failures.13.reason)
eval_test(hostile_writes_only_there "${eval_hostile} > text.txt 2> log.txt; ls -A . out | sort | tr '\\n' ' '"
          STDOUT "^ *\\.: categories.csv chair_a_00_predict.obj chair_a_00_predict.xyz chair_b_00_predict.obj chair_b_00_predict.xyz chair_c_00_predict.obj chair_c_00_predict.xyz chair_nantrue_00_predict.obj chair_nantrue_00_predict.xyz chair_untrue_00_predict.obj chair_untrue_00_predict.xyz good.txt images list.txt log.txt manifest.jsonl out out: report.html results.csv summary.json text.txt truth $")

eval_test(missing_list "${eval} --list nowhere.txt" EXIT 3 STDERR "nowhere.txt: cannot be opened" NO_FILES_IN out)
eval_test(missing_images_root "\"$P2MPP\" eval --list good.txt --images-root nowhere --out out" EXIT 3
          STDERR "nowhere: no such folder. expected the root of the images" NO_FILES_IN out)
