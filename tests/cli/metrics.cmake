set(files $INPUTS/files)
p2mpp_cli_test(metrics_mesh ARGS metrics ${files}/tetrahedron.obj ${files}/moved.xyz
               STDOUT "CD x1000.*vertices +4 +4 +0.000050000 +0.050 +100.00 +100.00\nsurface samples +10000 +4 ")
p2mpp_cli_test(metrics_points ARGS metrics ${files}/tetrahedron.xyz ${files}/moved.xyz STDOUT "vertices +4 +4 +0.000050000 +0.050 +100.00")
p2mpp_cli_test(metrics_points_have_no_surface SHELL "\"$P2MPP\" metrics \"${files}/tetrahedron.xyz\" \"${files}/moved.xyz\" | grep -c surface; true"
               STDOUT "^0\n$")
p2mpp_cli_test(metrics_same_mesh ARGS metrics ${files}/tetrahedron.obj ${files}/tetrahedron.obj
               STDOUT "vertices +4 +4 +0.000000000 +0.000 +100.00.*surface samples +10000 +10000")
p2mpp_cli_test(metrics_pickle ARGS metrics ${files}/tetrahedron.obj ${files}/truth.dat STDOUT "vertices +4 +4 +0.000000000")
p2mpp_cli_test(metrics_json ARGS metrics ${files}/tetrahedron.obj ${files}/moved.xyz --json JSON vertices.chamfer_distance_x1000)
p2mpp_cli_test(metrics_json_surface ARGS metrics ${files}/tetrahedron.obj ${files}/moved.xyz --json JSON surface.f1_2tau)
p2mpp_cli_test(metrics_missing_file ARGS metrics nowhere.obj ${files}/moved.xyz EXIT 3 STDERR "nowhere.obj: cannot be opened")
p2mpp_cli_test(metrics_nan ARGS metrics ${files}/nan.xyz ${files}/moved.xyz EXIT 3 STDERR "nan.xyz:2: 'nan'")
p2mpp_cli_test(metrics_empty ARGS metrics ${files}/tetrahedron.obj ${files}/empty.xyz EXIT 3 STDERR "empty.xyz: has no point")
p2mpp_cli_test(metrics_no_vertex ARGS metrics ${files}/no-vertex.obj ${files}/moved.xyz EXIT 3 STDERR "no-vertex.obj: has no vertex")
p2mpp_cli_test(metrics_bad_face ARGS metrics ${files}/face-out-of-range.obj ${files}/moved.xyz EXIT 3
               STDERR "face-out-of-range.obj: triangle 1 names vertex 9")
p2mpp_cli_test(metrics_no_area ARGS metrics ${files}/flat.obj ${files}/moved.xyz EXIT 3
               STDERR "flat.obj against .*moved.xyz: surface of area 0")
p2mpp_cli_test(metrics_malicious_pickle ARGS metrics ${files}/tetrahedron.obj ${files}/trap.dat EXIT 3
               STDERR "trap.dat: names posix.system, which is refused" NO_FILES_IN .)
p2mpp_cli_test(metrics_cut_pickle ARGS metrics ${files}/tetrahedron.obj ${files}/cut.dat EXIT 3 STDERR "cut.dat: is cut off")
p2mpp_cli_test(metrics_unknown_format ARGS metrics $INPUTS/models/tiny/model.json ${files}/moved.xyz EXIT 3 STDERR "model.json: ")
