set(files $INPUTS/files)
p2mpp_cli_test(metrics_mesh ARGS metrics ${files}/tetrahedron.obj ${files}/moved.xyz
               STDOUT "CD x1000.*vertices +4 +4 +0.000050000 +0.050 +100.00 +100.00 +0.00[0-9]+ +-\nsurface samples +10000 +4 ")
p2mpp_cli_test(metrics_notes SHELL "(cat \"${files}/tetrahedron.obj\"; echo f 1 2) > edge.obj; \"$P2MPP\" metrics edge.obj \"${files}/moved.xyz\""
               STDOUT "vertices +4 +4 +0.000050000" STDERR "info: edge.obj: 1 face with fewer than 3 corners is left out")
p2mpp_cli_test(metrics_pickle ARGS metrics ${files}/tetrahedron.obj ${files}/truth.dat STDOUT "vertices +4 +4 +0.000000000")
p2mpp_cli_test(metrics_json ARGS metrics ${files}/tetrahedron.obj ${files}/moved.xyz --align similarity --json
               JSON vertices.chamfer_distance_x1000 vertices.normal_consistency surface.f1_2tau surface.hausdorff_90 alignment.scale)
p2mpp_cli_test(metrics_sampled ARGS metrics ${files}/tetrahedron.xyz ${files}/moved.xyz --sampled 2 --seed 3
               STDOUT "vertices +4 +4 +0.000050000 .*estimated: 2 points of each side")
p2mpp_cli_test(metrics_bounds ARGS metrics ${files}/tetrahedron.xyz ${files}/moved.xyz --bounds 5
               STDOUT "^bounds on vertices +at least +at most\nchamfer_distance +5.*e-05 +5.*e-05\nf1_tau +100 +100\n.*4 of 4 predicted and 4 of 4 true points")
p2mpp_cli_test(metrics_bounds_json ARGS metrics ${files}/tetrahedron.xyz ${files}/moved.xyz --bounds 5 --json JSON bounds.hausdorff_90.1)

# Folders of predictions, as eval or any other program leaves them.
function(metrics_folder_test name command)
  p2mpp_cli_test(metrics_folder_${name} SHELL "mkdir predicted truth; for id in chair_a_00 chair_b_00 lamp_c_00; do cp \"${files}/tetrahedron.obj\" predicted/\${id}_predict.obj; cp \"${files}/moved.xyz\" truth/\${id}_ground.xyz; done; ${command}" ${ARGN})
endfunction()
set(metrics_folder "\"$P2MPP\" metrics predicted truth")
metrics_folder_test(table "${metrics_folder}"
                    STDOUT "^3 of 3 predictions scored\n\nmetrics, mean .*\nvertices +3 +0.0500 +100.00 .*\n  chair +2 +0.0500.*\n  lamp +1 .*\nsurface .10000 points. +3 ")
metrics_folder_test(list "echo lamp_c_00.dat > list.txt; ${metrics_folder} --list list.txt" STDOUT "^1 of 1 predictions scored")
metrics_folder_test(out "${metrics_folder} --out tables --json" JSON metrics.by_category.chair.vertices.f1_2tau
                    CREATES tables/results.csv tables/categories.csv tables/summary.json)
metrics_folder_test(bad_ones_are_named "echo nonsense > predicted/chair_a_00_predict.obj; rm truth/lamp_c_00_ground.xyz; ${metrics_folder}" EXIT 4 ERRORS 2
                    STDOUT "^1 of 3 predictions scored" STDERR "lamp_c_00: truth: no ground truth for lamp_c_00")
metrics_folder_test(and_a_file "\"$P2MPP\" metrics predicted \"${files}/moved.xyz\"" EXIT 3 STDERR "a file and a folder. expected two of a kind")
metrics_folder_test(bounds "${metrics_folder} --bounds 5" EXIT 2 STDERR "--bounds: not with folders")

# Frames and units.
p2mpp_cli_test(metrics_mismatch_json ARGS metrics ${files}/tetrahedron.xyz ${files}/elsewhere.xyz --json JSON warnings.0
               STDERR "tetrahedron.xyz against .*elsewhere.xyz: the bounding boxes do not overlap: the two are in different frames or units")
p2mpp_cli_test(metrics_same_frame ARGS metrics ${files}/tetrahedron.xyz ${files}/moved.xyz NOT_STDERR "different frames" STDERR "warning: .*bounding box has a diagonal of 1.73. CD and F1 are made for objects of 0.57")
p2mpp_cli_test(metrics_truth_scale ARGS metrics ${files}/tetrahedron.xyz ${files}/twice-as-large.xyz --truth-scale 0.5
               STDOUT "vertices +4 +4 +0.000000000" NOT_STDERR "different frames")
p2mpp_cli_test(metrics_align ARGS metrics ${files}/tetrahedron.obj ${files}/moved.xyz --align similarity
               STDOUT "aligned: the prediction scaled by 1, turned by 0.00 degrees, moved by .*\n.*vertices +4 +4 +0.0000000")
metrics_folder_test(align "${metrics_folder} --align similarity" STDOUT "^3 of 3 predictions scored\n\n.*vertices +3 +0.000")
metrics_folder_test(other_frame "cp \"${files}/elsewhere.xyz\" truth/lamp_c_00_ground.xyz; ${metrics_folder}" STDOUT "^3 of 3"
                    STDERR "warning: lamp_c_00: the bounding boxes do not overlap")
metrics_folder_test(and_a_sample "${metrics_folder} --truth-frame world --sample truth" EXIT 2 STDERR "--sample: not with folders")
