set -e
for o in --normals --quiet; do
  "$P2MPP" predict --quiet --model "$INPUTS/models/tiny" "$INPUTS/samples/shape" --out with$o $o >log
done
cmp <(grep '^v ' with--normals/shape_predict.obj) <(grep '^v ' with--quiet/shape_predict.obj)
