printf 'v -0.1 0 -0.8\nv 0.1 0 -0.8\nv 0 0.1 -0.9\nf 1 2 3\n' > front.obj
for f in auto camera0; do
  "$P2MPP" render -q front.obj --frame $f --view --truth "$INPUTS/files/moved.xyz" --cameras "$INPUTS/samples/two-photos/cameras.txt" --size 32 --out $f
done
cmp auto/front_view.html camera0/front_view.html
