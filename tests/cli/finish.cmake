# What `finish` says and writes. tests/finish tries every case, and tests/python/program/test_finish.py other programs.
set(solid $INPUTS/files/tetrahedron.obj)
p2mpp_cli_test(finish_certificate ARGS finish ${solid}
               STDOUT "closed +yes\nmanifold +yes\nwound outward +yes\nintersections +none\nfaces without area +none\nbodies +1\nsize +1 x 1 x 1 units\narea +2.366 units2\nvolume +0.16667 units3\n.*unit +unknown: --unit says it\n")
p2mpp_cli_test(finish_certificate_of_an_open_mesh SHELL "head -n 7 \"${solid}\" > open.obj; \"$P2MPP\" finish open.obj" STDOUT "closed +no: 3 open edges\n")
p2mpp_cli_test(finish_json ARGS finish ${solid} --unit cm --json JSON sound closed manifold oriented intersecting_faces degenerate_faces
               bodies unit size.2 volume area mass_g thinnest_wall)
p2mpp_cli_test(finish_for_a_printer ARGS finish ${solid} --unit 30mm --out solid.3mf
               STDOUT "^solid.3mf .*size +30 x 30 x 30 mm\n.*volume +4500 mm3\nmass +5.58 g at 1.24 g/cm3\n.*unit +mm\n" STDERR "base: 0 mm cut off, 4.5 cm2 on the ground" CREATES solid.3mf)
p2mpp_cli_test(finish_twice SHELL "\"$P2MPP\" finish \"${solid}\" --unit 30mm --out a.obj && head -n 2 a.obj && \"$P2MPP\" finish a.obj --base none --out b.obj && diff a.obj b.obj && echo same"
               STDOUT "# unit: mm\n# p2mpp .*same\n" STDERR "base: 0 mm cut off")
p2mpp_refusals(finish)
