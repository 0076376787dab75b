set -e
p2() { "$P2MPP" "$@" --model "$INPUTS/models/tiny" >> log; }
p2 predict "$INPUTS/samples/shape" --initial hull --format ply
p2 refine shape_predict.ply "$INPUTS/samples/shape" --out out
"$P2MPP" metrics out/shape_predict_predict.ply shape_predict.ply > m
ls out
for f in shape_predict.ply out/*.ply; do
  tail -c 1300 $f | md5sum
done | uniq | wc -l
