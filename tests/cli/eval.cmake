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
eval_test(metrics "${eval_good} --truth-root truth" CREATES ${good_files}
          STDOUT "vertices +3 .*\n +chair +3 .*\nsurface .10000 points. +3 .*\nvertices after stage 1 +3 ")
eval_test(categories "${eval_good} --truth-root truth > text.txt && cat out/categories.csv" CREATES out/categories.csv
          STDOUT "^category,count,vertices_chamfer_distance,.*\nchair,3,.*\nall,3,")
eval_test(no_categories_without_truth "${eval_good} > text.txt; test ! -e out/categories.csv")
eval_test(json "${eval_good} --truth-root truth --json" JSON milliseconds_a_sample.parts.drb.p99 CREATES ${good_files})
eval_test(json_metrics "${eval_good} --truth-root truth --json" JSON metrics.by_category.chair.surface.f1_2tau)
eval_test(json_environment "${eval_good} --json" JSON environment.commit)
eval_test(json_is_the_summary "${eval_good} --json > printed.json && cmp printed.json out/summary.json")
eval_test(limit "${eval_good} --limit 2 && test ! -e out/chair_c_00_predict.obj" STDOUT "^2 of 2 samples"
          CREATES out/chair_b_00_predict.obj)
eval_test(batch "${eval_good} --batch 2 && mv out one && ${eval_good} && cmp one/chair_c_00_predict.obj out/chair_c_00_predict.obj"
          STDOUT "^3 of 3 samples" CREATES one/chair_c_00_predict.obj)
eval_test(measured_batch "${eval_good} --batch auto" CREATES ${good_files}
          STDOUT "\nbatch: [0-9]+ .measured. [^\n]+.\n$" STDERR "info: batch [0-9]+ .measured. ")
eval_test(measured_batch_in_the_summary "${eval_good} --batch auto --json" JSON batch.trials.0.samples_per_second)
eval_test(given_batch_in_the_summary "${eval_good} --batch 2 --json" JSON batch.at_last STDOUT "\"mode\": \"given\"")
eval_test(measured_batch_within_little_memory "${eval_good} --batch auto --memory-share 1e-6"
          STDOUT "\nbatch: 1 .measured. 2 would have [0-9.]+ of the memory's [0-9.]+ GiB in use, more than the share 1e-06.\n$")
eval_test(measured_batch_from_a_file "printf 'batch = \"auto\"\nmemory-share = 0.5\n' > c.toml && ${eval_good} --config c.toml --json" JSON batch.reason
          STDOUT "\"memory_share\": 0.5,")
eval_test(example_config "${eval_good} --config '${PROJECT_SOURCE_DIR}/p2mpp.example.toml'" STDOUT "^3 of 3 samples")
eval_test(measured_batch_from_the_environment "P2MPP_BATCH=auto ${eval_good}" STDOUT "\nbatch: [0-9]+ .measured. ")
eval_test(world_frame
          "${eval_good} --truth-root truth --frame world --json > world.json && mv out world && ${eval_good} --truth-root truth --json > camera0.json && ! cmp -s world/chair_a_00_predict.obj out/chair_a_00_predict.obj && grep chamfer world.json > world.txt && grep chamfer camera0.json | cmp - world.txt")
eval_test(formats "${eval_good} --truth-root truth --format glb,ply && test ! -e out/chair_a_00_predict.obj && grep -c 'reconstruction.,.data:image' out/report.html"
          CREATES out/chair_a_00_predict.glb out/chair_b_00_predict.ply STDOUT "^3 of 3 samples reconstructed.*\n1\n$")
eval_test(normals "${eval_good} --format obj --normals > text.txt && grep -c '^vn ' out/chair_a_00_predict.obj" STDOUT "^162\n$")
eval_test(formats_are_settings "${eval_good} --format xyz,obj --json" JSON settings.formats STDOUT "\"formats\": .[\n ]*\"obj\",[\n ]*\"xyz\"[\n ]*[]]")
eval_test(unknown_format "${eval_good} --format fbx" EXIT 2 STDERR "--format: expected obj, xyz, ply, glb, stl. got 'fbx'" NO_FILES_IN out)
foreach(format ply glb stl)
  eval_test(predictions_as_${format}_are_scored "${eval_good} --format ${format} > text.txt && \"$P2MPP\" metrics out truth"
            STDOUT "^3 of 3 predictions scored")
endforeach()
eval_test(trace "${eval_good} --truth-root truth --trace trace.json > text.txt && cat trace.json" JSON traceEvents.0.args.name)
eval_test(missing_truth_root_folder "${eval_good} --truth-root nowhere" EXIT 3 NO_FILES_IN out
          STDERR "nowhere: no such folder. expected the root of the ground truth")

eval_test(report "${eval_good} --truth-root truth > text.txt && grep -c 'mean CD x1000' out/report.html" STDOUT "^1\n$")

# Every bad entry is named; what is good is the same as ever.
eval_test(hostile "${eval_hostile}" EXIT 4 ERRORS 14 CREATES ${good_files} out/chair_untrue_00_predict.obj
          STDOUT "^5 of 17 samples reconstructed, 12 failed, 2 not scored\n")
eval_test(hostile_json "${eval_hostile} --json" EXIT 4 ERRORS 14 JSON failures.13.reason)
eval_test(hostile_good_ones_are_the_same
          "${eval_hostile} --batch 3 --json > first.json 2> log.txt; mv out first; ${eval_good} > text.txt; cmp first/chair_a_00_predict.obj out/chair_a_00_predict.obj && cmp first/chair_c_00_predict.xyz out/chair_c_00_predict.xyz")
eval_test(hostile_writes_only_there "${eval_hostile} > text.txt 2> log.txt; ls -A . out | sort | tr '\\n' ' '"
          STDOUT "^ *\\.: categories.csv chair_a_00_predict.obj chair_a_00_predict.xyz chair_b_00_predict.obj chair_b_00_predict.xyz chair_c_00_predict.obj chair_c_00_predict.xyz chair_nantrue_00_predict.obj chair_nantrue_00_predict.xyz chair_untrue_00_predict.obj chair_untrue_00_predict.xyz good.txt images list.txt log.txt manifest.jsonl out out: report.html results.csv summary.json text.txt truth $")

function(eval_bad_entry name reason)
  eval_test(names_${name} "${eval_hostile} > text.txt" EXIT 4 ERRORS 14 STDERR "error: line ${reason}")
endfunction()
eval_bad_entry(duplicate "3: chair_a_00: .*line 1")
eval_bad_entry(parent_folder "4: [.][.]/[.][.]/secret_00: holds '/'")
eval_bad_entry(absolute_path "5: /etc/passwd: holds '/'")
eval_bad_entry(nul "7: chair_nul.x00_00: holds ")
eval_bad_entry(ten_thousand_characters "8: xxxxx.*: has 10000 characters")
eval_bad_entry(truncated_image "9: chair_truncated-image_00: .*06.png: ")
eval_bad_entry(bomb "10: chair_bomb_00: .*06.png: declares 30000x30000 pixels")
eval_bad_entry(nan_camera "11: chair_nan-camera_00: .*'nan' is not a finite number")
eval_bad_entry(few_rows "12: chair_few-rows_00: .*has 3 rows")
eval_bad_entry(link "13: chair_link_00: .*leads out of ")
eval_bad_entry(missing "14: chair_missing_00: .*images/chair/missing")
eval_bad_entry(missing_truth "15: chair_untrue_00: ")
eval_bad_entry(bad_truth "16: chair_nantrue_00: .*chair_nantrue_00.xyz")

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
p2mpp_cli_test(eval_no_list ARGS eval --images-root images --out out EXIT 2 STDERR "--list is required")
p2mpp_cli_test(eval_no_images_root ARGS eval --list list.txt --out out EXIT 2 STDERR "--images-root is required")
p2mpp_cli_test(eval_no_out ARGS eval --list list.txt --images-root images EXIT 2 STDERR "--out is required")
p2mpp_cli_test(eval_bad_limit ARGS eval --list l --images-root i --out o --limit 0 EXIT 2
               STDERR "--limit: expected a whole number from 1")
p2mpp_cli_test(eval_bad_frame ARGS eval --list l --images-root i --out o --frame moon EXIT 2
               STDERR "--frame: expected auto, camera0, world, source. got 'moon'")
p2mpp_cli_test(eval_mistyped_option ARGS eval --lst l EXIT 2 STDERR "no option '--lst'.*--list")
p2mpp_cli_test(eval_list_of_devices ARGS eval --list l --images-root i --out o --device cpu,cuda EXIT 2
               STDERR "--device: expected auto, cpu, cuda or cuda:N. got 'cpu,cuda'")
p2mpp_cli_test(eval_help ARGS eval --help STDOUT "--truth-root FOLDER.*Examples:\n  p2mpp eval ")
