set -e
i() { "$P2MPP" import -q --model "$INPUTS/models/tiny" "$INPUTS/captures/colmap_bin" --out $1 >>log; }
i once
i twice
touch twice/IMG_0099.png twice/notes
sed -i s/IMG_0001.png/IMG_0099.png/ twice/cameras.json
i "twice --overwrite"
diff -r once twice || ls -A twice
