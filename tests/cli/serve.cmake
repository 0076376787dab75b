# What `serve` refuses before it serves; tests/python/web/test_serve.py has the rest.
if(TARGET p2mpp_boost)
  p2mpp_refusals(serve)
  p2mpp_cli_test(serve_ends_at_a_signal
                 SHELL "\"$P2MPP\" serve --model \"$INPUTS/models/tiny\" --quiet --port 0 > said & pid=$!; until grep -q serving said; do sleep 0.02; done; kill -TERM $pid; wait $pid"
                 EXIT 0 ERRORS 0)
else()
  p2mpp_cli_test(serve_missing ARGS serve EXIT 1 STDERR "this build has no server: Boost was not found")
endif()
