# What `predict` writes and prints.
set(tiny ARGS predict --model $INPUTS/models/tiny)

p2mpp_cli_test(predict_folder ${tiny} $INPUTS/samples/shape --out out
               STDOUT "out/shape_predict.obj: 162 vertices, 320 faces\n +read +preprocess .* total ms\n +[0-9.]+ +[0-9.]+"
               STDERR "info: model tiny \\(clean\\), backend [a-z]+ (fp32|bf16) on cpu \\(1 threads\\)"
               CREATES out/shape_predict.obj out/shape_predict.xyz)
p2mpp_cli_test(predict_number_of_views SCRIPT UNSANITIZED)
p2mpp_cli_test(predict_chosen_views_in_config ${tiny} $INPUTS/samples/shape --config $INPUTS/files/views.toml
               CREATES shape_predict.obj)
p2mpp_cli_test(predict_images ${tiny} --images $INPUTS/samples/photos/photo1.png $INPUTS/samples/photos/photo3.png
               --cameras $INPUTS/samples/two-photos/cameras.txt --id mine CREATES mine_predict.obj mine_predict.xyz)
p2mpp_cli_test(predict_images_default_id ${tiny} --images $INPUTS/samples/photos/photo1.png
               $INPUTS/samples/photos/photo3.png --cameras $INPUTS/samples/two-photos/cameras.txt CREATES photo1_predict.obj)
p2mpp_cli_test(predict_design_b ARGS predict --model $INPUTS/models/tiny-design_b $INPUTS/samples/shape
               STDERR "model tiny-design_b \\(design_b\\)" CREATES shape_predict.obj)
p2mpp_cli_test(predict_with_masks ARGS predict --model $INPUTS/models/tiny-masked $INPUTS/samples/shape
               STDERR "model tiny-masked \\(clean\\)" CREATES shape_predict.obj)
p2mpp_cli_test(predict_finished ${tiny} $INPUTS/samples/shape --surface volume --finish print --unit 10cm --format glb
               STDOUT "shape_print.3mf" CREATES shape_print.3mf shape_predict.glb)
p2mpp_cli_test(predict_finished_without_unit ${tiny} $INPUTS/samples/shape --finish print EXIT 3
               STDERR "shape: the size is not known. expected --unit with --finish print" NO_FILES_IN .)
p2mpp_cli_test(predict_json ${tiny} $INPUTS/samples/shape --coarse --overlay --json
               JSON samples.0.milliseconds.total samples.0.vertices samples.0.coarse.2 samples.0.silhouettes.2.iou
               CREATES shape_coarse1.obj shape_coarse2.obj shape_coarse3.obj shape_predict.obj)
p2mpp_cli_test(predict_quiet ${tiny} $INPUTS/samples/shape --quiet NOT_STDERR ".")
p2mpp_cli_test(predict_verbose ${tiny} $INPUTS/samples/shape --verbose STDERR "debug: .*LibTorch (2|none)")
if(NOT P2MPP_HAS_TORCHSCRIPT)
  p2mpp_cli_test(predict_without_libtorch ${tiny} $INPUTS/samples/shape --backend torchscript EXIT 1
                 STDERR "error: this p2mpp was built without LibTorch, .*scripts/setup.sh --all installs" NO_FILES_IN .)
endif()
p2mpp_cli_test(predict_device_auto ${tiny} $INPUTS/samples/shape --device auto --warmup 1
               STDERR "info: model tiny .* on (cpu|cuda:0) ")
p2mpp_cli_test(predict_trace ${tiny} $INPUTS/samples/shape --trace trace.json CREATES trace.json)
p2mpp_cli_test(predict_escapes_what_steers_a_terminal SHELL "cp -r \"$INPUTS/samples/shape\" $'a\\u202e\\u009b31mb' && \"$P2MPP\" predict --model \"$INPUTS/models/tiny\" $'a\\u202e\\u009b31mb'"
               STDOUT "a.u202e.u009b31mb_predict.obj")
p2mpp_cli_test(predict_far_too_many_threads SHELL "\"$P2MPP\" predict --model \"$INPUTS/models/tiny\" \"$INPUTS/samples/shape\" --threads $((5 * $(nproc --all)))"
               STDERR "warning: --threads [0-9]+: this machine runs [0-9]+ at a time" CREATES shape_predict.obj)
p2mpp_cli_test(predict_folds_equal_failures SHELL "for i in $(seq 9); do mkdir -p s$i/rendering; done; \"$P2MPP\" predict --model \"$INPUTS/models/tiny\" \"$INPUTS/samples/shape\" s*"
               EXIT 4 ERRORS 4 STDERR "error: 6 more samples: " STDOUT "shape_predict")
p2mpp_cli_test(predict_config ${tiny} $INPUTS/samples/shape --config $INPUTS/files/section.toml
               CREATES from-config/shape_predict.obj)
p2mpp_cli_test(predict_strange_name SHELL "\"$P2MPP\" predict --model \"$INPUTS/models/tiny\" \"$INPUTS/samples/a shape; \\$(touch trapped)\" && test ! -e trapped && ls"
               STDOUT "a shape; .*_predict.obj")

# Other formats, pictures, the 3D view.
p2mpp_cli_test(predict_formats ${tiny} $INPUTS/samples/shape --format glb,ply,stl --json JSON samples.0.glb
               CREATES shape_predict.glb shape_predict.ply shape_predict.stl)
p2mpp_cli_test(predict_normals SHELL "\"$P2MPP\" predict -q --model \"$INPUTS/models/tiny\" \"$INPUTS/samples/shape\" --normals >log && grep -c '^vn ' shape_predict.obj && grep -m1 '^f' shape_predict.obj"
               STDOUT "^162\nf [0-9]+//[0-9]+ [0-9]+//")
p2mpp_cli_test(predict_normals_change_no_vertex SCRIPT)
p2mpp_cli_test(predict_overlay ${tiny} $INPUTS/samples/shape --overlay
               STDOUT "shape_overlay.png: silhouette IoU: [0-9.]+ [0-9.]+ [0-9.]+\n" CREATES shape_overlay.png)
p2mpp_cli_test(predict_view ${tiny} $INPUTS/samples/shape --view --truth $INPUTS/files/moved.xyz CREATES shape_view.html)
p2mpp_cli_test(predict_pictures_of_several ${tiny} $INPUTS/samples/shape $INPUTS/samples/photos --batch 2 --preview --overlay --view
               CREATES shape_preview.png photos_preview.png shape_overlay.png photos_overlay.png shape_view.html photos_view.html UNSANITIZED)

# The same bytes whatever the batch, and in the world's frame others.
p2mpp_cli_test(predict_batches_agree SHELL "set -e; p() { \"$P2MPP\" predict -q --model \"$INPUTS/models/tiny\" \"$INPUTS\"/samples/{photos,shape,two-photos} \"$@\"; }; p --out one; p --out three --batch 3; diff -r one three; ls one"
               STDOUT "photos_predict.obj.*shape_predict.xyz.*two-photos_predict.obj")

# Several samples, some bad.
p2mpp_cli_test(predict_one_of_three_bad ${tiny} $INPUTS/samples/photos $INPUTS/samples/bomb $INPUTS/samples/shape --out out EXIT 4
               STDOUT "out/photos_predict.obj.*out/shape_predict.obj" STDERR "error: .*bomb.*\n.*warning: 1 of 3 samples failed"
               CREATES out/photos_predict.obj out/shape_predict.xyz)
p2mpp_cli_test(predict_measured_batch ${tiny} $INPUTS/samples/photos $INPUTS/samples/shape --batch auto --json JSON batch STDERR "info: batch [0-9]+ .measured. ")
p2mpp_cli_test(predict_unwritable_among_several SHELL "mkdir -p out/shape_predict.obj && \"$P2MPP\" predict --model \"$INPUTS/models/tiny\" \"$INPUTS\"/samples/{shape,photos} --out out"
               EXIT 4 STDOUT "^out/photos_predict.obj: 162" STDERR "error: shape: out/shape_predict.obj: .*\n.*warning: 1 of 2 samples failed"
               CREATES out/photos_predict.obj)
p2mpp_cli_test(predict_in_the_order_asked_for SHELL "\"$P2MPP\" predict --model \"$INPUTS/models/tiny\" \"$INPUTS\"/samples/{two-photos,shape,photos,five-photos} --batch 3"
               STDOUT "two-photos_predict.obj.*/shape_predict.obj.*/photos_predict.obj.*/five-photos_predict.obj")
p2mpp_cli_test(predict_all_bad ${tiny} $INPUTS/samples/bomb nowhere --out out EXIT 3 ERRORS 2 NO_FILES_IN out)
p2mpp_cli_test(predict_bad_in_json ${tiny} $INPUTS/samples/photos $INPUTS/samples/bomb --json --batch 2 EXIT 4
               JSON samples.1.problem)
p2mpp_cli_test(predict_same_id_in_two_folders ${tiny} $INPUTS/samples/shape $INPUTS/elsewhere/shape --out out
               CREATES out/samples_shape_predict.obj out/elsewhere_shape_predict.obj NOT_STDERR "error")

# The fit. Folders with rows have none by default. (The mesh of random weights lies behind some cameras.)
p2mpp_cli_test(predict_fit_same ${tiny} $INPUTS/samples/shape --fit-views same --json JSON samples.0.fit.iou_after
               STDERR "shape: fit to [0-3] masks, IoU 0.[0-9]+ -> 0.[0-9]+, [0-9]+ steps")
p2mpp_cli_test(predict_fit_listed ${tiny} $INPUTS/samples/shape --fit-views 7 --fit-steps 2 STDERR "shape: fit: no mask can be used: the mesh stays as it is. 07.png: a part of the mesh is behind the camera\n")

# Other initial meshes.
p2mpp_cli_test(predict_initial_hull ${tiny} $INPUTS/samples/shape --initial hull --target-vertices 300 --json JSON samples.0.vertices NOT_STDERR "fit to")
p2mpp_cli_test(predict_initial_hull_of_the_fits_masks ${tiny} $INPUTS/samples/shape --initial hull --fit-views same --overlay --view
               STDOUT "silhouette IoU: .* before the fit: " STDERR "shape: fit to [0-3] masks" CREATES shape_predict.obj shape_view.html UNSANITIZED)
p2mpp_cli_test(predict_without_stage_2 ${tiny} $INPUTS/samples/shape --initial hull --target-vertices 300 --no-stage-2 --fit-views same
               --json JSON samples.0.fit.steps STDOUT "\"drb\": 0.0")
# refine keeps triangles, format and coordinates; a mesh in other coordinates is refused.
p2mpp_cli_test(refine_keeps_the_triangles SCRIPT
               STDOUT "^shape_predict_predict.ply\n1\n")
set(refine ARGS refine --model $INPUTS/models/tiny)
# 30,000 x 30,000 x 4 bytes would be 3.4 GB: refused within an address space of 3 GB, of which sanitizers take far more.
if(NOT P2MPP_SANITIZE)
  p2mpp_cli_test(bad_sample_bomb_takes_no_memory
                 SHELL "ulimit -v 3000000; \"$P2MPP\" predict --model \"$INPUTS/models/tiny\" \"$INPUTS/samples/bomb\"" EXIT 3
                 STDERR "declares 30000x30000 pixels")
endif()
