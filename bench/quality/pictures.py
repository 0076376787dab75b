"""A picture of reconstructions: a row a sample, with its three photographs, the mesh after stage 1, the
result and the true shape, from the first camera and from a side that no photograph shows. Meshes are made by
`p2mpp predict` and drawn by `p2mpp render`."""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from typing import List, NamedTuple

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFont

from p2mpp.shapes.camera import View, parse_row
from p2mpp.shapes.dataset import categories_named
from p2mpp.shapes.sample import SampleOptions, build_shape
from p2mpp.network.template import Mesh, obj_text
from shared import NETWORK_VIEWS, ROOT

TILE, GAP, HEADING = 136, 24, 22  # pixels: a picture's width, between the three groups, of the words above
DRAWN = 4 * TILE  # pixels that `render` draws, of which a part is shown
MARGIN = 0.05  # around the object, as a share of half a picture
NEARLY_WHITE = 6  # what is no more than that off
FONT, COLORS = 12, 200
MESHES = ("stage 1", "refined", "truth")
COLUMNS = ("photograph 1", "photograph 2", "photograph 3", *MESHES, *(f"{mesh}, unseen side" for mesh in MESHES))


class Tools(NamedTuple):
    program: Path
    model: Path
    data: Path


def on_white(file: Path) -> Image.Image:
    with Image.open(file) as picture:
        picture = picture.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture).convert("RGB")


def true_mesh(data: Path, category: str, model: str) -> Mesh:
    """The generator's shape again, in the world's frame."""
    options = json.loads((data / "generation.json").read_text())["options"]
    options = SampleOptions(seed=options["seed"])
    shape = build_shape(options, categories_named([category])[0], int(model.removeprefix("p2mpp")))
    return Mesh(np.asarray(shape.vertices, np.float32), np.asarray(shape.triangles))


def run(*command) -> None:
    subprocess.run([*command, "--quiet"], check=True, stdout=subprocess.DEVNULL)


def pictures_of(tools: Tools, name: str) -> List[Image.Image]:
    """One a column; in all of them the middle is the object's and a share of the side is the same length."""
    category, model, _ = name.split("_")
    folder = tools.data / category / model
    photographs = folder / "rendering"
    first = parse_row((photographs / "rendering_metadata.txt").read_text().splitlines()[0])
    pictures = [on_white(photographs / f"{view:02d}.png") for view in NETWORK_VIEWS]
    with tempfile.TemporaryDirectory() as temporary:
        out = Path(temporary)
        run(tools.program, "predict", folder, "--model", tools.model, "--coarse", "--out", out)
        (out / "truth.obj").write_text(obj_text(true_mesh(tools.data, category, model)))
        (out / "cameras.txt").write_text(f"{first.row()}\n{View(first.azimuth + 100, 20, first.distance).row()}\n")
        render = [tools.program, "render", "--cameras", out / "cameras.txt", "--size", str(DRAWN), "--samples", "16",
                  "--no-ground", "--out", out]
        run(*render, "--frame", "camera0", out / f"{model}_coarse3.obj", out / f"{model}_predict.obj")
        run(*render, "--frame", "world", out / "truth.obj")
        pictures += [on_white(out / f"{mesh}_view{view}.png") for view in (1, 2)
                     for mesh in (f"{model}_coarse3", f"{model}_predict", "truth")]
    return pictures


def reach(picture: Image.Image) -> np.ndarray:
    """The extents of an object from the picture's middle, across and up or down, as shares of half a
    picture."""
    off_white = ImageChops.difference(picture, Image.new("RGB", picture.size, "white")).convert("L")
    left, top, right, bottom = off_white.point(lambda value: 255 if value > NEARLY_WHITE else 0).getbbox()
    half = picture.size[0] / 2
    return np.array([max(half - left, right - half), max(half - top, bottom - half)]) / half


def row(tools: Tools, name: str) -> List[Image.Image]:
    """A tile a column: the middle of each picture, one scale for all, as large as the tile can show."""
    pictures = pictures_of(tools, name)
    across, down = np.minimum(np.max([reach(picture) for picture in pictures], axis=0) + MARGIN, 1)
    across = max(across, down)
    tiles = []
    for picture in pictures:
        half = picture.size[0] / 2
        box = (half - across * half, half - down * half, half + across * half, half + down * half)
        height = round(TILE * down / across)
        tiles.append(picture.resize((TILE, height), Image.Resampling.LANCZOS, box))
    return tiles


def left_of(column: int) -> int:
    return column * TILE + column // 3 * GAP


def sheet_of(rows: List[List[Image.Image]]) -> Image.Image:
    height = HEADING + sum(tiles[0].height for tiles in rows)
    sheet = Image.new("RGB", (left_of(len(COLUMNS) - 1) + TILE, height), "white")
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(FONT)
    for column, words in enumerate(COLUMNS):
        draw.text((left_of(column) + TILE // 2, HEADING // 2), words, "black", font, "mm")
    top = HEADING
    for tiles in rows:
        for column, tile in enumerate(tiles):
            sheet.paste(tile, (left_of(column), top))
        top += tiles[0].height
    return sheet


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT / "data", help="made by p2mpp-generate")
    parser.add_argument("--model", type=Path, default=ROOT / "models/p2mpp-shapes")
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "p2mpp")
    parser.add_argument("--out", type=Path, required=True, help="a PNG")
    parser.add_argument("names", nargs="+", help="CATEGORY_MODEL_00")
    options = parser.parse_args()
    tools = Tools(options.program, options.model, options.data)
    sheet = sheet_of([row(tools, name) for name in options.names])
    sheet.quantize(COLORS).save(options.out, optimize=True)


if __name__ == "__main__":
    main()
