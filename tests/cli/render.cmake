# What `render` draws and says.
set(files $INPUTS/files)
set(render ARGS render ${files}/tetrahedron.obj)
p2mpp_cli_test(render_mesh ${render} --out pictures --size 64 STDOUT "^pictures/tetrahedron.png\n$" CREATES pictures/tetrahedron.png)
p2mpp_cli_test(render_points ARGS render ${files}/tetrahedron.xyz --size 64 CREATES tetrahedron.png)
p2mpp_cli_test(render_turntable ${render} --turntable 3 --size 64x48 STDOUT "tetrahedron_000.png\n.*tetrahedron_001.png\n.*tetrahedron_002.png\n"
               CREATES tetrahedron_000.png tetrahedron_002.png)
p2mpp_cli_test(render_several SHELL "cp \"${files}/tetrahedron.obj\" other.obj; \"$P2MPP\" render \"${files}/tetrahedron.obj\" other.obj --size 32 --threads 2"
               STDOUT "^./tetrahedron.png\n./other.png\n$" CREATES tetrahedron.png other.png)
p2mpp_cli_test(render_cameras ${render} --frame world --cameras $INPUTS/samples/two-photos/cameras.txt --size 32
               CREATES tetrahedron_view1.png tetrahedron_view2.png)
p2mpp_cli_test(render_cameras_and_direction ${render} --cameras $INPUTS/samples/two-photos/cameras.txt --azimuth 10 --size 32
               CREATES tetrahedron.png)
p2mpp_cli_test(render_looks SCRIPT
               STDOUT "\\(48, 48\\) RGBA 0 255")
p2mpp_cli_test(render_many_triangles SHELL "${P2MPP_PYTHON} \"$INPUTS/files/grid.py\" 224 > grid.obj && \"$P2MPP\" render grid.obj --size 64" CREATES grid.png)
p2mpp_cli_test(render_overlay ${render} --frame camera0 --sample $INPUTS/samples/photos --overlay --size 32
               STDOUT "tetrahedron_overlay.png: silhouette IoU: [0-9.]+ [0-9.]+ [0-9.]+\n" STDERR "warning: tetrahedron: the mesh does not cover"
               CREATES tetrahedron_overlay.png)
p2mpp_cli_test(render_overlay_json ${render} --frame camera0 --sample $INPUTS/samples/photos --overlay --size 32 --json JSON meshes.0.silhouettes.2.iou)
p2mpp_cli_test(render_view_with_truth ${render} --view --truth ${files}/moved.xyz --size 32 CREATES tetrahedron_view.html)
# Mesh and truth lie in one frame, which the mesh tells.
p2mpp_cli_test(render_truth_in_the_meshs_frame SCRIPT
               STDOUT "front_view.html")

# One bad mesh of two.
p2mpp_cli_test(render_one_of_two_bad ${render} nowhere.obj --size 32 EXIT 4 STDOUT "^./tetrahedron.png\n$" STDERR "error: nowhere.obj: " CREATES tetrahedron.png)
p2mpp_cli_test(render_bad_in_json ${render} nowhere.obj --size 32 --json EXIT 4 JSON meshes.1.problem)
