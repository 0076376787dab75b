set -e
cp -r $INPUTS/captures/colmap_busy turned
"$PYTHON" -c '
from PIL import Image
p="turned/masks/IMG_0002.png"
Image.open(p).transpose(Image.Transpose.ROTATE_90).save(p)'
"$P2MPP" predict --model "$INPUTS/models/tiny" turned --out out
