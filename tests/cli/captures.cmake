# Captures: what COLMAP, NeRF, instant-ngp and nerfstudio write, photographs on a turntable; `import`; what is wrong with
# them. tests/captures makes them, from shapes that need manifold3d.
execute_process(COMMAND ${P2MPP_PYTHON} -c "import importlib.util as util; print(util.find_spec('manifold3d') is not None)"
                OUTPUT_VARIABLE has_manifold3d ERROR_QUIET)
if(NOT has_manifold3d MATCHES "True")
  message(STATUS "Tests: no manifold3d (scripts/setup.sh --all); those of captures on the command line are left out")
  return()
endif()
set(tiny ARGS predict --model $INPUTS/models/tiny --texture none)
set(captures $INPUTS/captures)
set(six "6 photographs, ")

# Recognised, with or without the file's name.
function(capture_test name found)
  p2mpp_cli_test(capture_${name} ${tiny} --no-fit ${ARGN} STDERR "${six}${found}" NOT_STDERR "fit to"
                 STDOUT "_predict.obj: 162 vertices, 320 faces\n")
endfunction()
capture_test(colmap_bin "COLMAP model, binary\n.*masks: 6 by alpha\n" ${captures}/colmap_bin)
capture_test(colmap_txt "COLMAP model, text\n.*masks: 6 by background 64,128,96\n" ${captures}/colmap_txt)
capture_test(nerf_synthetic "transforms.json\n.*masks: 6 by alpha\n.*up: the capture's" ${captures}/nerf_synthetic)
capture_test(instant_ngp "transforms.json\n.*masks: 6 by background 64,128,96\n" ${captures}/instant_ngp)
capture_test(nerfstudio "transforms.json\n.*masks: 6 by mask file\n" ${captures}/nerfstudio)
capture_test(turntable "turntable\n.*field of view is assumed to be 69.4 degrees.*\n.*masks: 6 by alpha\n" ${captures}/turntable
             --turntable --elevation 25)
capture_test(chosen_views "COLMAP.*\n.*views: 0 .IMG_0001.png., 3 .IMG_0004.png.\n" ${captures}/colmap_bin --views 0,3)
capture_test(given_frame "COLMAP.*\n.*object: --centre 0,0,0 --scale 0.1 --up 0,0,1 .up: " ${captures}/colmap_bin --up 0,0,2
             --centre 0,0,0 --scale 0.1)
p2mpp_cli_test(capture_fitted_by_default ${tiny} ${captures}/colmap_bin --resolution 48 --surface-vertices 900 --format obj,xyz --overlay --view
               --json JSON samples.0.fit.steps CREATES colmap_bin_predict.obj colmap_bin_predict.xyz colmap_bin_overlay.png
               STDERR "colmap_bin: fit to [0-6] masks, IoU " UNSANITIZED)
p2mpp_cli_test(capture_whose_mesh_is_lost ${tiny} ${captures}/colmap_bin --resolution 48 --surface-vertices 900 STDOUT "_predict.obj: "
               STDERR "the mesh hardly overlaps its masks .mean IoU 0.[0-9]+.: the masks' hull takes its place\n.*colmap_bin: surface: volume: 48 voxels" UNSANITIZED)
p2mpp_cli_test(capture_surface_volume ${tiny} ${captures}/colmap_bin --surface volume --resolution 48 --surface-vertices 900 --json
               JSON samples.0.surface.resolution STDERR "colmap_bin: surface: volume: 48 voxels, 6 masks, " NOT_STDERR "texture:" UNSANITIZED)
p2mpp_cli_test(capture_published_semantics_are_not_fitted ARGS predict --model $INPUTS/models/tiny-tf ${captures}/colmap_bin
               STDOUT "_predict.obj" NOT_STDERR "fit to")
p2mpp_cli_test(capture_json ${tiny} --no-fit ${captures}/colmap_bin --json JSON samples.0.capture.photographs.5.mask samples.0.capture.duplicates
               STDOUT "\"duplicates\": \\[\\]" UNSANITIZED)
p2mpp_cli_test(capture_beside_a_sample ${tiny} --no-fit ${captures}/nerf_synthetic $INPUTS/samples/photos --batch 2
               CREATES nerf_synthetic_predict.obj photos_predict.obj UNSANITIZED)
p2mpp_cli_test(capture_bad_among_several ${tiny} --no-fit ${captures}/cut-json ${captures}/colmap_bin EXIT 4 STDOUT "colmap_bin_predict.obj"
               STDERR "error: .*cut-json/transforms.json: not valid JSON" CREATES colmap_bin_predict.obj)

# Masks, axes and views of a capture.
p2mpp_cli_test(capture_masks_beside SHELL "\"$P2MPP\" predict --no-fit --model \"$INPUTS/models/tiny\" ${captures}/colmap_busy --out out"
               STDOUT "out/colmap_busy_predict.obj: " STDERR "colmap_busy/masks: the masks there are used" UNSANITIZED)
p2mpp_cli_test(capture_turntable_backwards ${tiny} --no-fit ${captures}/turntable --turntable --elevation 25 --clockwise
               STDERR "warning: turntable: the masks contradict the cameras .[0-9]+% of a mask on average. and agree .[0-2]%. if the table turns counter-clockwise: leave out --clockwise\n" UNSANITIZED)

# What is wrong with its masks as a whole, or with some of its photographs.
set(shifted "cp -r ${captures}/colmap_bin shifted && ${P2MPP_PYTHON} -c 'from pathlib import Path; p=sorted(Path(\"shifted/images\").glob(\"*\")); b=[x.read_bytes() for x in p]; [x.write_bytes(y) for x, y in zip(p, b[1:]+b[:1])]' && \"$P2MPP\" predict --model \"$INPUTS/models/tiny\" shifted")
p2mpp_cli_test(capture_shifted SHELL "${shifted} --no-fit" STDOUT "shifted_predict.obj" UNSANITIZED
               STDERR "p2mpp: warning: shifted: the masks contradict the cameras .[0-9]+% of a mask on average. IMG_000[0-9].png [0-9]+%.. expected masks of the object alone, each with its own photograph and camera")
p2mpp_cli_test(capture_shifted_strict SHELL "${shifted} --strict --json --out out" EXIT 3 JSON samples.0.warnings.0.code NO_FILES_IN out UNSANITIZED)
p2mpp_cli_test(capture_fewer_views_than_asked ${tiny} ${captures}/colmap_bin --views 7 --no-fit
               STDERR "info: the network gets 6 views instead of 7: the other photographs are not usable or show the same views\n" STDOUT "_predict.obj")
p2mpp_cli_test(import_strict_leaves_no_folder SHELL "cp -r ${captures}/colmap_bin twice && cp twice/images/IMG_0001.png twice/images/IMG_0002.png && ! \"$P2MPP\" import -q --strict --model \"$INPUTS/models/tiny\" twice --out sample && ls -A sample"
               ERRORS 1 STDOUT "^$" UNSANITIZED)

# Rows: chosen views, and the best of many.
p2mpp_cli_test(rows_six_images ${tiny} $INPUTS/samples/six-photos --json JSON samples.0.obj CREATES six-photos_predict.obj)

# The mesh in the capture's coordinates.
p2mpp_cli_test(capture_frame_source SHELL "set -e; for f in world source; do \"$P2MPP\" predict -q --model \"$INPUTS/models/tiny\" \"${captures}/nerf_synthetic\" --texture none --frame $f --format xyz --resolution 48 --surface-vertices 900 --out $f >>log; done; ${P2MPP_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/same_place.py {world,source}/nerf_synthetic_predict.xyz \"${captures}/nerf_synthetic_truth.json\""
               STDOUT "size off 0.0[0-3][0-9]*, moved 0.0[0-3]" UNSANITIZED)
p2mpp_cli_test(capture_frame_in_the_comment SHELL "\"$P2MPP\" predict -q --model \"$INPUTS/models/tiny\" \"${captures}/colmap_bin\" --no-fit --frame source >log; grep '^#' colmap_bin_predict.obj"
               STDOUT "source|capture" UNSANITIZED)

# Import.
p2mpp_cli_test(import_colmap ARGS import --model $INPUTS/models/tiny ${captures}/colmap_bin --out sample
               STDOUT "6 photographs, COLMAP model, binary\nmasks: 6 by alpha\nobject: --centre .*\nviews: .*\nsample/cameras.json\n"
               CREATES sample/cameras.json sample/IMG_0001.png)
p2mpp_cli_test(import_json ARGS import --model $INPUTS/models/tiny ${captures}/nerfstudio --out sample --json JSON photographs.5.mask
               CREATES sample/cameras.json sample/masks/IMG_0001.jpg.png)
function(import_test name)  # predict of what was imported gives the bytes of predict SOURCE
  string(REPLACE ";" " " options "${ARGN}")
  p2mpp_cli_test(import_then_predict_${name} SHELL "set -e; m=\"--model $INPUTS/models/tiny -q\"; c=\"${captures}\"; \"$P2MPP\" import $m \"$c/${name}\" ${options} --out imported/${name} >log; p() { \"$P2MPP\" predict $m --fit-steps 2 --texture none --resolution 48 --surface-vertices 900 \"$@\" >>log; }; p imported/${name} --out a; p \"$c/${name}\" ${options} --out b; diff -r a b; ls a"
                 STDOUT "_predict.obj.*_predict.xyz" UNSANITIZED)
endfunction()
import_test(colmap_busy --masks $c/colmap_busy/masks)
import_test(nerf_synthetic)
import_test(nerfstudio)
p2mpp_cli_test(import_over_its_own_photographs SHELL "set -e; i() { \"$P2MPP\" import -q --model \"$INPUTS/models/tiny\" \"$@\"; }; i ${captures}/colmap_bin --out own >log; cp -r ${captures}/colmap_bin/sparse own/; i own/sparse/0 --photographs own --out own --overwrite" EXIT 2
               STDERR "--out: own holds the capture's own photographs. expected another folder" CREATES own/cameras.json own/IMG_0001.png)

p2mpp_refusals(captures)

# ShapeNet's own points: the world's frame, unscaled.
set(bundled ${PROJECT_SOURCE_DIR}/data/03001627)
p2mpp_cli_test(metrics_shapenets_points ARGS metrics --model $INPUTS/models/tiny ${bundled}_p2mpp0001_00_ground.xyz ${captures}/shapenet.xyz
               --truth-scale 0.57 --truth-frame world --sample ${bundled}/p2mpp0001 STDOUT "vertices +[0-9]+ +[0-9]+ +0.0000000[0-9]+ +0.000 +100.00"
               NOT_STDERR "warning")
