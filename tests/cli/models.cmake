# Which model is taken, and what one does whose weights are bad; refusals/models.txt has damaged ones.
p2mpp_cli_test(bad_model_trusted ARGS predict --model $INPUTS/models/wrong-hash $INPUTS/samples/shape --trust-model
               CREATES shape_predict.obj)
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
# Weights that are finite and whose results are not: the sample fails, nothing is written for it.
p2mpp_cli_test(vertices_not_finite_among_several ARGS predict --model $INPUTS/models/overflowing-weights $INPUTS/samples/shape
               $INPUTS/samples/photos --out out EXIT 3 ERRORS 2 STDERR "error: photos: .*not finite" NO_FILES_IN out)
