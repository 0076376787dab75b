set -e
capture=$INPUTS/captures/colmap_bin
"$P2MPP" predict --model "$INPUTS/models/tiny" "$capture" --no-fit --surface volume --resolution 32 --surface-vertices 900 --texture none --format ply --frame source -q > log
"$P2MPP" texture colmap_bin_predict.ply "$capture" --texture 128 --leave-out 2 --out coloured.glb
"$P2MPP" texture coloured.glb "$capture" --texture 256 --keep-uv --out again.obj -q
"$P2MPP" refine again.obj "$capture" --model "$INPUTS/models/tiny" --no-stage-2 --no-fit --out refined -q > log
for mesh in again.obj refined/again_predict.obj; do
  "$P2MPP" render $mesh --frame world --size 64 --shading textured --out $(dirname $mesh)/pictures -q > log
done
cmp again_texture.png refined/again_predict_texture.png && echo "2 pictures are alike"
