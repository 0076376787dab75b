set -e
cp -r $INPUTS/captures/instant_ngp cv
"$PYTHON" -c '
import json
p="cv/transforms.json"
d=json.load(open(p))
[row.__setitem__(slice(1,3), [-row[1], -row[2]]) for f in d["frames"] for row in f["transform_matrix"]]
json.dump(d, open(p,"w"))'
"$P2MPP" predict --model "$INPUTS/models/tiny" cv --out out
