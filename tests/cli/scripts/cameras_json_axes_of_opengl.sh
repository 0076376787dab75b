set -e
"$P2MPP" import -q --model "$INPUTS/models/tiny" $INPUTS/captures/colmap_bin --out gl >log
"$PYTHON" -c '
import json
p="gl/cameras.json"
d=json.load(open(p))
[m.__setitem__(r, [-x for x in m[r]]) for v in d["views"] for m in [v["cam_from_world"]] for r in (1, 2)]
json.dump(d, open(p,"w"))'
"$P2MPP" check --model "$INPUTS/models/tiny" gl --no-network
