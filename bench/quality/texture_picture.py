"""A picture of textured captures: a row a shape, with three of its photographs and the textured mesh of `p2mpp predict`
from three sides, which `p2mpp render` draws. The photographs are drawn by tests/captures (texture_changes.py)."""

import argparse
import subprocess
from pathlib import Path
from typing import List

from PIL import Image

from pictures import on_white, sheet_of
from shared import Tools, add_tool_options, tools_of
from texture_changes import Change, drawn

SHAPES = ("02958343_p2mpp0001", "04256520_p2mpp0002", "02876657_p2mpp0002")
TILE, PHOTOGRAPHS, GAP = 170, (2, 10, 18), 24  # pixels; numbers; pixels
SIDES = 3
HEADINGS = [*(f"photograph {i + 1}" for i in range(len(PHOTOGRAPHS))), *(f"textured mesh, side {i + 1}" for i in range(SIDES))]


def whole(picture: Image.Image) -> Image.Image:
    """A square tile with the part that is not white."""
    box = Image.eval(picture.convert("L"), lambda value: 255 if value < 250 else 0).getbbox()
    part = picture.crop(box)
    side = round(1.06 * max(part.size))
    square = Image.new("RGB", (side, side), "white")
    square.paste(part, ((side - part.width) // 2, (side - part.height) // 2))
    return square.resize((TILE, TILE), Image.Resampling.LANCZOS)


def row(tools: Tools, name: str) -> List[Image.Image]:
    capture = drawn(name, Change("picture"), tools.out / name)
    out = tools.out / f"{name}-mesh"
    if not list(out.glob("*.glb")):
        subprocess.run([tools.program, "predict", capture, "--model", tools.model, "--format", "glb", "--out", out, "--quiet"],
                       check=True, stdout=subprocess.DEVNULL)
    (mesh,) = out.glob("*.glb")
    subprocess.run([tools.program, "render", mesh, "--turntable", str(SIDES), "--no-ground", "--samples", "16", "--out", out,
                    "--quiet"], check=True, stdout=subprocess.DEVNULL)
    files = [sorted((capture / "images").iterdir())[i] for i in PHOTOGRAPHS]
    return [whole(on_white(file)) for file in [*files, *sorted(out.glob("*.png"))]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_tool_options(parser)
    parser.add_argument("--out", type=Path, required=True, help="folder for captures and meshes")
    parser.add_argument("picture", type=Path, help="JPEG to write")
    options = parser.parse_args()
    tools = tools_of(options)
    sheet = sheet_of(HEADINGS, [row(tools, name) for name in SHAPES],
                     lambda column: column * TILE + (GAP if column >= len(PHOTOGRAPHS) else 0))
    sheet.save(options.picture, quality=88, optimize=True)


if __name__ == "__main__":
    main()
