# What is wrong with a sample although every file is well-formed: a warning, an error with --strict, `check`.
# tests/capture/sample_check_test.cc has all that is found.
if(NOT has_manifold3d MATCHES "True")  # its samples are made with the captures
  return()
endif()
set(model --model $INPUTS/models/tiny)
set(samples $INPUTS/samples)

p2mpp_cli_test(warns_of_mirrored ARGS predict ${model} ${samples}/silent-mirrored CREATES silent-mirrored_predict.obj
               STDERR "warning: silent-mirrored: the silhouettes do not agree with the cameras: [0-9]+% of one .* they agree better if azimuths turn the other way")
p2mpp_cli_test(strict_about_mirrored ARGS predict ${model} ${samples}/silent-mirrored --strict --out out EXIT 3
               STDERR "error: (silent-mirrored: )?[^\n]* .--strict.\n$" NO_FILES_IN out)
p2mpp_cli_test(strict_shows_all_warnings ARGS predict ${model} ${samples}/silent-one-view --strict EXIT 3
               STDERR "warning: silent-one-view: photo1.png: [^\n]*\n.*warning: silent-one-view: photo2.png: [^\n]*\n.*warning: silent-one-view: 1 of 3 views [^\n]*\n.*error: photo1.png: [^\n]* and 3 more .--strict.\n$")
p2mpp_cli_test(warns_of_nothing ARGS predict ${model} ${samples}/silent-nothing --strict NOT_STDERR "warning")
p2mpp_cli_test(warnings_in_json ARGS predict ${model} ${samples}/silent-twice --json JSON samples.0.warnings.0.code
               STDOUT "\"view\": 2,\n *\"message\": \"photo3.png: its image is the same as that of photo1.png")
p2mpp_cli_test(strict_json_of_several ARGS predict ${model} ${samples}/silent-twice ${samples}/silent-grey --strict --json --out out EXIT 3 ERRORS 2
               JSON samples.1.warnings.0.code NO_FILES_IN out)
p2mpp_cli_test(json_of_no_folder ARGS predict ${model} nowhere --json EXIT 3 JSON samples.0.problem STDERR "error: nowhere: no such folder")
p2mpp_cli_test(strict_among_several ARGS predict ${model} ${samples}/silent-twice ${samples}/silent-nothing --strict EXIT 4
               STDOUT "silent-nothing_predict.obj" STDERR "error: .*its image is the same as that of photo1.png")

# check
p2mpp_cli_test(check_nothing_suspicious ARGS check ${model} ${samples}/silent-nothing --no-network --strict
               STDOUT "image +azimuth.*photo3.png.*silhouettes: 0.0% of one .*\nnothing suspicious was found\n")
p2mpp_cli_test(check_network ARGS check ${model} ${samples}/silent-nothing
               STDOUT "cameras +IoU +against given\nas given +[0-9.]+ +.0.000\n.*all distances -10%")
p2mpp_cli_test(check_network_json ARGS check ${model} ${samples}/silent-nothing --json JSON trials.14.iou)
p2mpp_cli_test(check_json ARGS check ${model} ${samples}/silent-mirrored --no-network --json JSON warnings.0.code
               STDERR "they agree better if azimuths turn the other way")
p2mpp_cli_test(check_strict ARGS check ${model} ${samples}/silent-mirrored --no-network --strict EXIT 3 ERRORS 0 STDOUT "silhouettes: "
               STDERR "warning: silent-mirrored: the silhouettes do not agree")
p2mpp_cli_test(check_capture ARGS check ${model} $INPUTS/captures/colmap_bin --no-network
               STDOUT "6 photographs, COLMAP model, binary\n.*IMG_0002.png +[-0-9.]+ .*silhouettes: [0-5].[0-9]% of one")
p2mpp_cli_test(check_overlay ARGS check ${model} ${samples}/silent-nothing --out out CREATES out/silent-nothing_overlay.png STDOUT "silhouette IoU")
p2mpp_cli_test(check_strict_about_the_network ARGS check ${model} ${samples}/silent-nothing --strict EXIT 3 ERRORS 0
               STDOUT "as given" STDERR "p2mpp: warning: silent-nothing: (other cameras fit better: |the mesh does not fit)")
p2mpp_cli_test(check_typical_overlap SCRIPT
               STDOUT "\nthis model reaches 0.87 .- 0.06 on its own kind of objects. [0-9.]+ is unusually low: the object may be of another kind, or the cameras wrong. The IoU alone does not tell whether their distances are right\n")
