set -e
"$P2MPP" render -q "$INPUTS/icosahedron.obj" --size 48 --background transparent --no-ground
"$PYTHON" -c '
from PIL import Image
i = Image.open("icosahedron.png")
print(i.size, i.mode, i.getpixel((0, 0))[3], i.getpixel((24, 24))[3])'
