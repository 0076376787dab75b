# What `morph` writes between two meshes of one template.
set(P2MPP_UNSANITIZED ON)
set(files $INPUTS/files)
function(morph_test name command)
  p2mpp_cli_test(morph_${name} SHELL "sed 's/^v 1 0 0/v 2 0 0/' \"${files}/tetrahedron.obj\" > longer.obj; cp \"${files}/tetrahedron.obj\" short.obj; ${command}" ${ARGN})
endfunction()
set(morph "\"$P2MPP\" morph short.obj longer.obj --out out")
morph_test(frames "${morph} --frames 3 && grep -h '^v [12.]' out/*.obj" STDOUT "v 1 0 0\nv 1.5 0 0\nv 2 0 0\n"
           CREATES out/short_to_longer_000.obj out/short_to_longer_001.obj out/short_to_longer_002.obj)
morph_test(pictures "${morph} --frames 3 --format png --size 32 --frame world"
           STDOUT "^out/short_to_longer_000.png\nout/short_to_longer_001.png\nout/short_to_longer_002.png\n$" CREATES out/short_to_longer_002.png)
# All frames lie in the frame of both: the first mesh alone would be taken for one of a camera's.
morph_test(pictures_in_one_frame "printf 'v 0 0 -6\\nv 1 0 -6\\nv 0 1 -6\\nv 0 0 -5\\n' > short.obj; grep ^f longer.obj >> short.obj; for f in auto world; do ${morph}/$f --frame $f --frames 2 --format png --size 32 --cameras \"$INPUTS/samples/two-photos/cameras.txt\"; done > log; for n in 0 1; do cmp out/auto/short_to_longer_00$n.png out/world/short_to_longer_00$n.png || exit 1; done; echo same"
           STDOUT "^same\n$" CREATES out/auto/short_to_longer_001.png)
morph_test(too_large_for_pictures "sed -i 's/^v 2 0 0/v 1e18 0 0/' longer.obj; ${morph} --format png" EXIT 3
           STDERR "longer.obj: vertex 2, counted from 1, has the coordinate 1e.18" NO_FILES_IN out)
morph_test(all_formats "${morph} --frames 2 --seconds 1.5 --format obj,png,glb --size 32 --json" JSON files.4
           CREATES out/short_to_longer.glb out/short_to_longer_001.obj out/short_to_longer_001.png)
morph_test(default_frames "${morph} | wc -l" STDOUT "^41\n$")
# Half of the light of red and of blue.
morph_test(colours "sed -i '/^v/s/$/ 1 0 0/' short.obj; sed -i '/^v/s/$/ 0 0 1/' longer.obj; ${morph} --frames 3 && grep -h '^v [12.]' out/*.obj"
           STDOUT "v 1 0 0 1 0 0\nv 1.5 0 0 0.737[0-9]* 0 0.737[0-9]*\nv 2 0 0 0 0 1\n")

morph_test(points "\"$P2MPP\" morph short.obj \"${files}/tetrahedron.xyz\"" EXIT 3 STDERR "tetrahedron.xyz: has no triangle. expected a mesh")
unset(P2MPP_UNSANITIZED)
