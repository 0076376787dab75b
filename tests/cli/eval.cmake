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
eval_test(no_categories_without_truth "${eval_good} > text.txt; test ! -e out/categories.csv")
eval_test(json_is_the_summary "${eval_good} --truth-root truth --json --batch 2 > printed.json && cmp printed.json out/summary.json && cat printed.json"
          JSON milliseconds_a_sample.parts.drb.p99 metrics.by_category.chair.surface.f1_2tau environment.commit batch.at_last CREATES ${good_files}
          STDOUT "\"mode\": \"given\"")
eval_test(limit "${eval_good} --limit 2 && test ! -e out/chair_c_00_predict.obj" STDOUT "^2 of 2 samples"
          CREATES out/chair_b_00_predict.obj)
eval_test(batch "${eval_good} --batch 2 && mv out one && ${eval_good} && cmp one/chair_c_00_predict.obj out/chair_c_00_predict.obj"
          STDOUT "^3 of 3 samples" CREATES one/chair_c_00_predict.obj)
eval_test(measured_batch "${eval_good} --batch auto" CREATES ${good_files}
          STDOUT "\nbatch: [0-9]+ .measured. [^\n]+.\n$" STDERR "info: batch [0-9]+ .measured. ")
eval_test(measured_batch_within_little_memory "${eval_good} --batch auto --memory-share 1e-6"
          STDOUT "\nbatch: 1 .measured. 2 would have [0-9.]+ of the memory's [0-9.]+ GiB in use, more than the share 1e-06.\n$")
eval_test(measured_batch_from_a_file "printf 'batch = \"auto\"\nmemory-share = 0.5\n' > c.toml && ${eval_good} --config c.toml --json" JSON batch.reason batch.trials.0.samples_per_second
          STDOUT "\"memory_share\": 0.5,")
eval_test(example_config "${eval_good} --config '${PROJECT_SOURCE_DIR}/p2mpp.example.toml'" STDOUT "^3 of 3 samples")
eval_test(measured_batch_from_the_environment "P2MPP_BATCH=auto ${eval_good}" STDOUT "\nbatch: [0-9]+ .measured. ")
eval_test(world_frame
          "${eval_good} --truth-root truth --frame world --json > world.json && mv out world && ${eval_good} --truth-root truth --json > camera0.json && ! cmp -s world/chair_a_00_predict.obj out/chair_a_00_predict.obj && grep chamfer world.json > world.txt && grep chamfer camera0.json | cmp - world.txt")
eval_test(formats "${eval_good} --truth-root truth --format glb,ply && test ! -e out/chair_a_00_predict.obj && grep -c 'reconstruction.,.data:image' out/report.html"
          CREATES out/chair_a_00_predict.glb out/chair_b_00_predict.ply STDOUT "^3 of 3 samples reconstructed.*\n1\n$")
eval_test(normals "${eval_good} --format obj --normals > text.txt && grep -c '^vn ' out/chair_a_00_predict.obj" STDOUT "^162\n$")
eval_test(formats_are_settings "${eval_good} --format xyz,obj --json" JSON settings.formats STDOUT "\"formats\": .[\n ]*\"obj\",[\n ]*\"xyz\"[\n ]*[]]")
eval_test(predictions_in_other_formats_are_scored "${eval_good} --format glb > text.txt && \"$P2MPP\" metrics out truth"
          STDOUT "^3 of 3 predictions scored")
eval_test(trace "${eval_good} --truth-root truth --trace trace.json > text.txt && cat trace.json" JSON traceEvents.0.args.name)
eval_test(missing_truth_root_folder "${eval_good} --truth-root nowhere" EXIT 3 NO_FILES_IN out
          STDERR "nowhere: no such folder. expected the root of the ground truth")

# Every bad entry is named; what is good is the same as ever.
eval_test(hostile "${eval_hostile} 2> log.txt; code=$?; . ${CMAKE_CURRENT_LIST_DIR}/eval_hostile.sh && exit $code" EXIT 4 ERRORS 0 CREATES ${good_files} out/chair_untrue_00_predict.obj
          STDOUT "^5 of 17 samples reconstructed, 12 failed, 2 not scored\n")
eval_test(hostile_json "${eval_hostile} --json" EXIT 4 ERRORS 14 JSON failures.13.reason)
eval_test(hostile_good_ones_are_the_same
          "${eval_hostile} --batch 3 --json > first.json 2> log.txt; mv out first; ${eval_good} > text.txt; cmp first/chair_a_00_predict.obj out/chair_a_00_predict.obj && cmp first/chair_c_00_predict.xyz out/chair_c_00_predict.xyz")
eval_test(hostile_writes_only_there "${eval_hostile} > text.txt 2> log.txt; ls -A . out | sort | tr '\\n' ' '"
          STDOUT "^ *\\.: categories.csv chair_a_00_predict.obj chair_a_00_predict.xyz chair_b_00_predict.obj chair_b_00_predict.xyz chair_c_00_predict.obj chair_c_00_predict.xyz chair_nantrue_00_predict.obj chair_nantrue_00_predict.xyz chair_untrue_00_predict.obj chair_untrue_00_predict.xyz good.txt images list.txt log.txt manifest.jsonl out out: report.html results.csv summary.json text.txt truth $")

eval_test(vertices_not_finite "\"$P2MPP\" eval --model \"$INPUTS/models/overflowing-weights\" --list good.txt --images-root images --out out"
          EXIT 3 ERRORS 3 STDOUT "^0 of 3 samples" STDERR "chair_b_00: .*not finite" CREATES out/results.csv out/summary.json)
eval_test(out_is_a_file "echo text > out; ${eval_good}" EXIT 1 STDERR "out: is not a folder. expected a folder")
eval_test(out_below_a_file "echo text > file; ${eval_good} --out file/out" EXIT 1 STDERR "file/out: cannot be created")
eval_test(trace_in_no_folder "${eval_good} --trace nowhere/trace.json" EXIT 1 STDERR "nowhere: cannot be written to" NO_FILES_IN out)
eval_test(full_disk "${eval_good} > /dev/full" EXIT 1 CREATES ${good_files})
eval_test(missing_list "${eval} --list nowhere.txt" EXIT 3 STDERR "nowhere.txt: cannot be opened" NO_FILES_IN out)
eval_test(empty_list "printf '\\n \\r\\n' > empty.txt; ${eval} --list empty.txt" EXIT 3 STDERR "empty.txt: " NO_FILES_IN out)
eval_test(missing_images_root "\"$P2MPP\" eval --list good.txt --images-root nowhere --out out" EXIT 3
          STDERR "nowhere: no such folder. expected the root of the images" NO_FILES_IN out)
eval_test(missing_model "\"$P2MPP\" eval --model nowhere --list good.txt --images-root images --out out" EXIT 3
          STDERR "nowhere: no such folder" NO_FILES_IN out)
