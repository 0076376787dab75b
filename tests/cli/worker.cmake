# The worker: a JSON line in, a JSON line out.
set(worker_inputs ". ${CMAKE_CURRENT_LIST_DIR}/eval_inputs.sh; . ${CMAKE_CURRENT_LIST_DIR}/worker_inputs.sh")
function(worker_test name command)
  p2mpp_cli_test(worker_${name} SHELL "${worker_inputs}; ${command}" ${ARGN})
endfunction()

worker_test(makes_a_mesh "request toy | worker --out made" CREATES made/toy_predict.obj made/toy_predict.xyz
            STDOUT "\n{\"id\":\"toy\",\"status\":\"done\",\"reason\":\"\",\"files\":.\"made/toy_predict.obj\",\"made/toy_predict.xyz\"")
worker_test(writes_the_formats "request toy | worker --out made --format glb,stl" CREATES made/toy_predict.glb made/toy_predict.stl
            STDOUT "\"files\":.\"made/toy_predict.glb\",\"made/toy_predict.stl\".,")
worker_test(makes_the_mesh_of_predict
            "request photos '\"output\": \"made\",' | worker > answers.txt && \"$P2MPP\" predict --model \"$INPUTS/models/tiny\" \"$INPUTS/samples/photos\" --out predicted > text.txt && cmp made/photos_predict.obj predicted/photos_predict.obj")
worker_test(makes_the_mesh_that_is_asked_for "request photos '\"output\": \"made\", \"fit_views\": \"same\", \"initial\": \"hull\", \"target_vertices\": 400,' | worker > answers.txt && \"$P2MPP\" predict --model \"$INPUTS/models/tiny\" \"$INPUTS/samples/photos\" --fit-views same --initial hull --target-vertices 400 --out predicted > text.txt && cmp made/photos_predict.obj predicted/photos_predict.obj && cat answers.txt"
            STDOUT "\"fit\":{\"intersecting_after\"")
worker_test(a_missing_initial_mesh_fails_its_request "request photos '\"output\": \"made\", \"initial\": \"no.ply\",' | worker" EXIT 3 ERRORS 0 STDOUT "\"status\":\"failed\",\"reason\":\"no.ply: cannot be opened")
worker_test(scores_entries "entry 1 chair_a_00 | worker --images-root images --truth-root truth --out out"
            CREATES out/chair_a_00_predict.obj STDOUT "\"status\":\"done\".*\"line\":1.*\"scores\":{")
worker_test(names_what_fails "entry 2 chair_bomb_00 | worker --images-root images --out out" EXIT 3 ERRORS 0
            STDOUT "\"id\":\"2\",\"status\":\"failed\",\"reason\":\"[^\"]*06.png: ")
worker_test(refuses_what_is_no_request "printf 'nonsense\\n{\"id\": \"x\", \"imags\": 3}\\n' | worker --out out" EXIT 3 ERRORS 0
            STDOUT "{\"id\":null,\"status\":\"refused\",\"reason\":\"line 1: not valid JSON[^\n]*\n{\"id\":\"x\",\"status\":\"refused\",\"reason\":\"line 2: no key [^\n]*\n$")
worker_test(refuses_entries_without_a_root "entry 1 chair_a_00 | worker --out out" EXIT 3 ERRORS 0
            STDOUT "without --images-root")
worker_test(tells_statistics "echo '{\"command\": \"statistics\"}' | worker"
            STDOUT "\n{\"statistics\":{\"waiting\":0,\"in_work\":0,\"accepted\":0,")
worker_test(batches "for i in 1 2 3 4 5 6; do request $i; done | worker --out out --max-batch 3 --batch-timeout-ms 5000"
            CREATES out/6_predict.obj STDOUT "\"batch\":3,")
worker_test(measured_batch "request toy | worker --out out --batch auto" CREATES out/toy_predict.obj STDOUT "^{\"ready\":true,[^\n]*\"batch\":[0-9]+}\n")
worker_test(max_batch_over_measured "worker --batch auto --max-batch 3" STDOUT "\"batch\":3}\n$" NOT_STDERR "measured")
# Every request that was taken is answered once, as done or as dropped, and only those that are done have files.
worker_test(signal_drops_what_waits
            "start_worker --out out; for i in $(seq 200); do request $i >&9; done; wait_for done; kill -TERM $pid; wait $pid; code=$?; done=$(grep -c '\"status\":\"done\"' answers.txt); test $(tail -n +2 answers.txt | cut -d, -f1 | sort | uniq -d | wc -l) = 0 && test $(ls out | wc -l) = $((2 * done)) && ! grep -qv 'ready\\|\"status\":\"\\(done\\|dropped\\)\"' answers.txt && test $done -lt 200 && exit $code"
            EXIT 5 ERRORS 0)
worker_test(some_fail "(request toy; request gone | sed s/photo1/gone/) | worker --out out" EXIT 4 ERRORS 0 STDOUT "\"status\":\"done\"")
# stdin stays open: the worker ends because the reader of its answers has.
worker_test(reader_gone "mkfifo in; exec 9<>in; request 1 >&9; worker --out out <in 9<&- | head -n 2; exit \${PIPESTATUS[0]}" CREATES out/1_predict.obj
            STDOUT "^{\"ready\"[^\n]*\n{\"id\":\"1\",\"status\":\"done\"[^\n]*\n$")
worker_test(reader_gone_drops_what_waits "for i in $(seq 200); do request $i; done | worker --out out | head -n 2; code=\${PIPESTATUS[1]}; files=$(ls out | wc -l); test $((files % 2)) = 0 && test $files -lt 400 && exit $code"
            EXIT 5 ERRORS 0 STDOUT "\"status\":\"done\"" CREATES out/1_predict.obj)
worker_test(full_disk "request 1 | worker --out out > /dev/full" EXIT 1 STDERR "stdout")
