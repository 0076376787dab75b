# Runs that are stopped, gone on with, shared out and put together.
function(eval_run_test name command)
  p2mpp_cli_test(eval_run_${name} SHELL ". ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/eval_inputs.sh; ${command}" ${ARGN})
endfunction()
set(eval "\"$P2MPP\" eval --model \"$INPUTS/models/tiny\" --images-root images --truth-root truth --out out --list good.txt")
set(eval_into "\"$P2MPP\" eval --model \"$INPUTS/models/tiny\" --images-root images --truth-root truth --list good.txt --out")

eval_run_test(resume_does_the_rest "${eval} --limit 2 > a.txt && ${eval} --resume" STDOUT "^3 of 3 samples reconstructed"
              STDERR "2 of 3 samples are done already" UNSANITIZED)
eval_run_test(resume_changes_nothing "${eval} > a.txt && cp -r out first && ${eval} --resume > b.txt && diff -r -x summary.json -x report.html first out && cat out/summary.json" JSON samples.done_earlier STDOUT "\"done_earlier\": 3" UNSANITIZED)
eval_run_test(resume_begins_where_nothing_is "${eval} --resume" STDOUT "^3 of 3 samples" STDERR "0 of 3 samples are done already" UNSANITIZED)
eval_run_test(resume_refuses_another_option "${eval} > a.txt && ${eval} --resume --frame world" EXIT 3
              STDERR "manifest.jsonl: of another run: frame was .camera0., is .world.[^\n]*expected the same options" UNSANITIZED)
eval_run_test(fit_of_shards_is_that_of_one_run "${eval_into} one --shard 1/2 --fit-views same > a.txt && ${eval_into} two --shard 2/2 --fit-views same > b.txt && \"$P2MPP\" merge one two --out merged > c.txt && ${eval} --fit-views same --write-threads 3 > d.txt && cmp one/chair_a_00_predict.obj out/chair_a_00_predict.obj && grep -c '\"fit\":' out/manifest.jsonl"
              STDOUT "^3\n" UNSANITIZED)
eval_run_test(resume_does_every_format "${eval} --format ply,glb,stl > a.txt && rm out/chair_b_00_predict.stl && printf x >> out/chair_c_00_predict.glb && ${eval} --resume --format stl,ply,glb"
              STDOUT "^3 of 3 samples" STDERR "1 of 3 samples are done already" CREATES out/chair_b_00_predict.stl UNSANITIZED)
eval_run_test(resume_refuses_another_model "${eval} > a.txt && ${eval} --resume --model \"$INPUTS/models/tiny-tf\"" EXIT 3
              STDERR "manifest.jsonl: of another run: model was " UNSANITIZED)
eval_run_test(a_run_is_not_replaced_silently "${eval} > a.txt && ${eval} --limit 1" EXIT 2
              STDERR "out: holds a run with 3 recorded samples. expected --resume to continue it, --overwrite to replace it")
eval_run_test(overwrite_begins_anew "${eval} > a.txt && ${eval} --overwrite --frame world" STDOUT "^3 of 3 samples" UNSANITIZED)
eval_run_test(all_samples_fail "rm -r images/*; ${eval}" EXIT 3 ERRORS 3 STDOUT "3 failed.*and 2 more for the same reason")
eval_run_test(pictures_and_trace_come_last "mkdir -p out/report.html; ${eval}" CREATES out/results.csv out/summary.json
              STDERR "warning: the page was not written: [^\n]*report.html" STDOUT "^3 of 3 samples")
eval_run_test(spare_threads "${eval} --read-threads 0 --profile --json" JSON profile.stages.2.threads STDOUT "\"threads\": [1-9]")

eval_run_test(merge_tells_what_all_runs_say "${eval_into} one --shard 1/2 > a.txt && ${eval_into} two --shard 2/2 --batch 2 > b.txt && \"$P2MPP\" merge one two --out merged > c.txt && cat merged/summary.json"
              JSON settings.batch STDOUT "\"list\": \"good.txt\".*\"out\": \"merged\".*\"shard\": \"1/1\".*\"batch\": \\[[ \n]*1,[ \n]*2[ \n]*\\]" UNSANITIZED)
eval_run_test(merge_of_one_shard_with_the_list "${eval} --shard 1/2 > a.txt && \"$P2MPP\" merge out --out merged --list good.txt" EXIT 5 ERRORS 0
              STDOUT "^2 of 2 samples" STDERR "the list contains samples that no run has finished" UNSANITIZED)
eval_run_test(more_shards_than_samples "${eval} --shard 4/5" STDOUT "^0 of 0 samples reconstructed")
eval_run_test(merge_of_different_runs "${eval_into} one > a.txt && ${eval_into} two --frame world > b.txt && \"$P2MPP\" merge one two --out merged" EXIT 3
              STDERR "one and two: are not parts of one run: frame was" NO_FILES_IN merged UNSANITIZED)
eval_run_test(merge_of_nothing "\"$P2MPP\" merge nowhere --out merged" EXIT 3 STDERR "nowhere/manifest.jsonl: cannot be opened" UNSANITIZED)

eval_run_test(compare_equal_runs "${eval_into} one > a.txt && ${eval_into} two > b.txt && \"$P2MPP\" compare one two && \"$P2MPP\" compare one two --json | grep -c p_value" STDOUT
              "^3 samples are scored in both runs. 0 only in the first, 0 only in the second\noptions: the same\n\ncategory .*\nall +3 .* \\+0.00 .* 1.0000 ")
eval_run_test(compare_without_scores "${eval_into} one > a.txt && \"$P2MPP\" eval --model \"$INPUTS/models/tiny\" --images-root images --list good.txt --out two > b.txt; \"$P2MPP\" compare one two" EXIT 3
              STDERR "one and two: no sample is scored in both. expected runs of one list, with --truth-root")
eval_run_test(view_pages "${eval} --view > a.txt && ls out" STDOUT "chair_a_00_view.html")
