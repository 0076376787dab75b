# A copy of the program, since beside the built one there is models/p2mpp-shapes.
p2mpp_cli_test(info_without_model SHELL "cp \"$P2MPP\" program && ./program info"
               STDOUT "cpu +[^\n]+\n.*commit +[^\n]+\n.*backends +fused, torchscript.*\nmodel +no model: ")
p2mpp_cli_test(info_model ARGS info --model $INPUTS/models/tiny
               STDOUT "semantics +clean\nweights_from +random seed 1\nviews +0, 6, 7\nimages +blue, green, red\nvertices +12, 42, 162\nhypotheses +43\n")
p2mpp_cli_test(info_masked_model ARGS info --model $INPUTS/models/tiny-masked STDOUT "\nimages +blue, green, red, the object's mask\n")
p2mpp_cli_test(info_json ARGS info --model $INPUTS/models/tiny --json JSON model.vertices.2)
p2mpp_cli_test(info_json_without_model SHELL "cp \"$P2MPP\" program && ./program info --json" JSON model.problem)
if(NOT P2MPP_HAS_TORCHSCRIPT)
  p2mpp_cli_test(info_without_libtorch ARGS info STDOUT "\nlibtorch +none .the backend torchscript, [^\n]+: scripts/setup.sh --all.\n")
endif()
p2mpp_cli_test(info_device ARGS info --device auto STDOUT "\ndevice +(cpu|cuda:0)\n")
