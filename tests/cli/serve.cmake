# What `serve` refuses before it serves; tests/python/web/test_serve.py has the rest.
p2mpp_cli_test(serve_help ARGS serve --help STDOUT "--token-file FILE.*--queue N.*Examples:\n  p2mpp serve --port 8080")
if(TARGET p2mpp_boost)
  p2mpp_cli_test(serve_beyond_this_machine ARGS serve --host 0.0.0.0 EXIT 2
                 STDERR "--host 0.0.0.0: other machines can reach this address. expected --token-file FILE")
  p2mpp_cli_test(serve_beyond_this_machine_ipv6 ARGS serve --host :: EXIT 2 STDERR "expected --token-file FILE")
  p2mpp_cli_test(serve_bad_host ARGS serve --host nowhere EXIT 2 STDERR "--host: 'nowhere' is no address")
  p2mpp_cli_test(serve_missing_root ARGS serve --root nowhere EXIT 3 STDERR "nowhere: no such folder. expected the root")
  p2mpp_cli_test(serve_missing_spool ARGS serve --spool nowhere EXIT 3 STDERR "nowhere: no such folder")
  p2mpp_cli_test(serve_missing_token SHELL "\"$P2MPP\" serve --model \"$INPUTS/models/tiny\" --quiet --token-file none" EXIT 3
                 STDERR "none: cannot be opened")
  p2mpp_cli_test(serve_short_token
                 SHELL "echo short > token; \"$P2MPP\" serve --model \"$INPUTS/models/tiny\" --quiet --token-file token" EXIT 3
                 STDERR "token: its first line is no token. expected 16 to 512 characters")
  p2mpp_cli_test(serve_ends_at_a_signal
                 SHELL "\"$P2MPP\" serve --model \"$INPUTS/models/tiny\" --quiet --port 0 > said & pid=$!; until grep -q serving said; do sleep 0.02; done; kill -TERM $pid; wait $pid"
                 EXIT 0 ERRORS 0)
else()
  p2mpp_cli_test(serve_missing ARGS serve EXIT 1 STDERR "this build has no server: Boost was not found")
endif()
