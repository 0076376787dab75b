set -e
mkdir turns
"$PYTHON" -c '
import sys
from pathlib import Path
from PIL import Image
e=Image.Exif()
e.get_ifd(0x8769)[0xA405]=40
[Image.alpha_composite(Image.new("RGBA", i.size, "white"), i).convert("RGB").save("turns/"+p.stem+".jpg", exif=e, quality=95) for p in Path(sys.argv[1]).glob("*.png") for i in [Image.open(p).convert("RGBA")]]' $INPUTS/captures/turntable
"$P2MPP" predict --model "$INPUTS/models/tiny" turns --no-fit --turntable --elevation 25
