# What `serve` refuses before it serves; tests/python/web/test_serve.py has the rest.
if(TARGET p2mpp_boost)
  p2mpp_refusals(serve)
else()
  p2mpp_cli_test(serve_missing ARGS serve EXIT 1 STDERR "this build has no server: Boost was not found")
endif()
