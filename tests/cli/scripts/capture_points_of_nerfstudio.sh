set -e
cp -r $INPUTS/captures/nerfstudio dots
"$PYTHON" -c '
import json
p="dots/transforms.json"
d=json.load(open(p))
d["ply_file_path"]="gone.ply"
json.dump(d, open(p,"w"))'
"$P2MPP" predict --model "$INPUTS/models/tiny" --no-fit dots
