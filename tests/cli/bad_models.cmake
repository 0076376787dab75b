# A model that is damaged in one way: one line that names the file, exit code 3, nothing written.
function(bad_model name problem)
  p2mpp_cli_test(bad_model_${name} ARGS predict --model $INPUTS/models/${name} $INPUTS/samples/shape --out out EXIT 3
                 STDERR "error: .*${name}/${problem}" NO_FILES_IN . ${ARGN})
endfunction()

bad_model(cut-stage1 "stage1.pt: not a TorchScript archive")
bad_model(cut-stage1-old-hash "stage1.pt: SHA-256 is .*expected .*model.json")
bad_model(empty-stage2 "stage2.pt: not a TorchScript archive")
bad_model(no-stage2 "stage2.pt: cannot be opened: no such file")
bad_model(swapped-stages "stage1.pt: holds stage 2. expected stage 1")
bad_model(pickle-stage1 "stage1.pt: not a TorchScript archive")
bad_model(nan-weights "stage2.pt: the weights of .* are not finite")
bad_model(cut-json "model.json: not valid JSON at byte [0-9]+")
bad_model(array-json "model.json: not a JSON object")
bad_model(newer "model.json: format version 3 is newer than this program. expected 2")
bad_model(other-semantics "model.json: \"semantics\" is \"magic\". expected tf, design_b or clean")
bad_model(five-channels "model.json: \"image_channels\" is 5. expected 3 or 4")
bad_model(masked-tf "model.json: \"image_channels\" is 4 with the semantics tf. expected 3: only clean has a mask")
bad_model(other-channels "stage1.pt: its first convolution reads images of 3 channels. expected 4 .model.json.")
bad_model(no-json "model.json: cannot be opened")
bad_model(cut-local-graph "local_graph.json: not valid JSON")
bad_model(template-hole "template.obj: edge .* has 1 triangle. expected 2")
bad_model(template-flipped-face "template.obj: edge .* is traversed in the same direction by triangles 10 and 20")
bad_model(template-double-face "template.obj: edge .* has 3 triangles. expected 2")
bad_model(template-extra-vertex "template.obj: vertex 13.* is in no triangle")
bad_model(template-nan "template.obj:1: a vertex with 'nan'")
bad_model(other-template "template.obj: level 0 has 4 vertices. expected 12")
bad_model(wrong-hash "template.obj: SHA-256 is .*; expected 0000.*--trust-model")

p2mpp_cli_test(bad_model_trusted ARGS predict --model $INPUTS/models/wrong-hash $INPUTS/samples/shape --trust-model
               CREATES shape_predict.obj)
p2mpp_cli_test(bad_model_missing ARGS predict --model nowhere $INPUTS/samples/shape EXIT 3 STDERR "error: nowhere: no such folder")
p2mpp_cli_test(bad_model_is_a_file ARGS predict --model $INPUTS/icosahedron.obj $INPUTS/samples/shape EXIT 3
               STDERR "icosahedron.obj")
# A copy of the program, since beside the built one there is models/p2mpp-shapes.
p2mpp_cli_test(no_model SHELL "cp \"$P2MPP\" program && ./program predict \"$INPUTS/samples/shape\"" EXIT 3
               STDERR "no model: .*expected --model FOLDER or P2MPP_MODEL")
p2mpp_cli_test(no_model_of_the_current_folder SHELL "mkdir models && cp -r \"$INPUTS/models/tiny\" models/p2mpp-shapes && mkdir -p its/own && cp \"$P2MPP\" its/own/program && its/own/program predict \"$INPUTS/samples/shape\"" EXIT 3
               STDERR "no model: .*expected --model FOLDER or P2MPP_MODEL")
p2mpp_cli_test(model_beside_the_programs_folder SHELL "mkdir bin models && cp -r \"$INPUTS/models/tiny\" models/p2mpp-shapes && cp \"$P2MPP\" bin/program && bin/program predict \"$INPUTS/samples/shape\""
               CREATES shape_predict.obj)
# A copied program looks for its libraries beside itself, and not where it was built.
if(P2MPP_HAS_TORCHSCRIPT)
  p2mpp_cli_test(libraries_of_a_copied_program SHELL "cp \"$P2MPP\" program; LD_DEBUG=files LD_DEBUG_OUTPUT=opened ./program predict --model \"$INPUTS/models/tiny\" --backend torchscript \"$INPUTS/samples/shape\" > log.txt 2>&1; grep -q \"$PWD/libp2mpp_torchscript\" opened.* && ! grep \"$(dirname \"$P2MPP\")/libp2mpp\" opened.*")
endif()
p2mpp_cli_test(model_in_environment ARGS predict $INPUTS/samples/shape ENV P2MPP_MODEL=$INPUTS/models/tiny
               CREATES shape_predict.obj)
# Weights that are finite and whose results are not: the sample fails, nothing is written for it.
p2mpp_cli_test(vertices_not_finite ARGS predict --model $INPUTS/models/overflowing-weights $INPUTS/samples/shape --out out EXIT 3
               STDERR "error: shape: .*not finite" NO_FILES_IN out)
p2mpp_cli_test(vertices_not_finite_among_several ARGS predict --model $INPUTS/models/overflowing-weights $INPUTS/samples/shape
               $INPUTS/samples/photos --out out EXIT 3 ERRORS 2 STDERR "error: photos: .*not finite" NO_FILES_IN out)
