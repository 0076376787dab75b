set -e
p() { "$P2MPP" predict -q --model "$INPUTS/models/tiny" "$@" --format xyz >>log; }
s="$INPUTS/samples/five-photos"
p "$s" --out five
p "$s" --views auto --out auto
p "$s" --views 5 --out best
p "$s" --views 0,1,2,3,4 --stage-views 2,3 --out stages
cmp five/five-photos_predict.xyz auto/five-photos_predict.xyz
cmp five/five-photos_predict.xyz best/five-photos_predict.xyz
if cmp -s five/five-photos_predict.xyz stages/five-photos_predict.xyz; then exit 1; fi
p "$INPUTS/samples/shape" --views 2 --out two
p "$INPUTS/samples/shape" --views 0,6 --out named
cmp two/shape_predict.xyz named/shape_predict.xyz
