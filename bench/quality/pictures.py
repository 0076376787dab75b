"""A picture of reconstructions: a row a sample, with its three photographs, the mesh after stage 1, the
result and the true shape, from the first camera and from a side that no photograph shows. Meshes are made by
`p2mpp predict` and drawn by `p2mpp render`."""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Callable, List, Sequence

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFont

from p2mpp.shapes.camera import View, parse_row
from p2mpp.shapes.dataset import categories_named
from p2mpp.shapes.sample import SampleOptions, build_shape
from p2mpp.network.template import Mesh, obj_text
from shared import NETWORK_VIEWS, ROOT, add_tool_options

TILE, GAP, HEADING = 136, 24, 22  # pixels: a picture's width, between the three groups, of the words above
DRAWN = 4 * TILE  # pixels that `render` draws, of which a part is shown
MARGIN = 0.05  # around the object, as a share of half a picture
NEARLY_WHITE = 6  # what is no more than that off
FONT, COLORS = 12, 200
MESHES = ("stage 1", "refined", "truth")
COLUMNS = ("photograph 1", "photograph 2", "photograph 3", *MESHES, *(f"{mesh}, unseen side" for mesh in MESHES))


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


def write_cameras(file: Path, folder: Path) -> None:
    """A sample's first camera, and one on a side that no photograph shows."""
    first = parse_row((folder / "rendering" / "rendering_metadata.txt").read_text().splitlines()[0])
    file.write_text(f"{first.row()}\n{View(first.azimuth + 100, 20, first.distance).row()}\n")


def render(program: Path, cameras: Path, out: Path, frame: str, *meshes: Path) -> None:
    """Writes NAME_view1.png and NAME_view2.png of each mesh."""
    run(program, "render", "--cameras", cameras, "--size", str(DRAWN), "--samples", "16", "--no-ground", "--out", out,
        "--frame", frame, *meshes)


def pictures_of(options: argparse.Namespace, name: str) -> List[Image.Image]:
    """One a column; in all of them the middle is the object's and a share of the side is the same length."""
    category, model, _ = name.split("_")
    folder = options.data / category / model
    photographs = folder / "rendering"
    pictures = [on_white(photographs / f"{view:02d}.png") for view in NETWORK_VIEWS]
    with tempfile.TemporaryDirectory() as temporary:
        out = Path(temporary)
        run(options.program, "predict", folder, "--model", options.model, "--coarse", "--out", out)
        (out / "truth.obj").write_text(obj_text(true_mesh(options.data, category, model)))
        cameras = out / "cameras.txt"
        write_cameras(cameras, folder)
        render(options.program, cameras, out, "camera0", out / f"{model}_coarse3.obj", out / f"{model}_predict.obj")
        render(options.program, cameras, out, "world", out / "truth.obj")
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


def extent_of(pictures: Sequence[Image.Image]) -> np.ndarray:
    """Of the largest object, with a margin, as reach() says it."""
    return np.minimum(np.max([reach(picture) for picture in pictures], axis=0) + MARGIN, 1)


def tile(picture: Image.Image, across: float, down: float, width: int) -> Image.Image:
    """So large a share of the picture around its middle, so many pixels wide."""
    half = picture.size[0] / 2
    box = (half - across * half, half - down * half, half + across * half, half + down * half)
    return picture.resize((width, round(width * down / across)), Image.Resampling.LANCZOS, box)


def row(options: argparse.Namespace, name: str) -> List[Image.Image]:
    """A tile a column, one scale for all, as large as the tile can show."""
    pictures = pictures_of(options, name)
    across, down = extent_of(pictures)
    return [tile(picture, max(across, down), down, TILE) for picture in pictures]


def sheet_of(headings: Sequence[str], rows: List[List[Image.Image]], left_of: Callable[[int], int]) -> Image.Image:
    """Rows of tiles below headings; left_of(column) is where a column begins."""
    width = rows[0][0].width
    sheet = Image.new("RGB", (left_of(len(headings) - 1) + width, HEADING + sum(tiles[0].height for tiles in rows)), "white")
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(FONT)
    for column, words in enumerate(headings):
        draw.text((left_of(column) + width // 2, HEADING // 2), words, "black", font, "mm")
    top = HEADING
    for tiles in rows:
        for column, each in enumerate(tiles):
            sheet.paste(each, (left_of(column), top))
        top += tiles[0].height
    return sheet


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT / "data", help="made by p2mpp-generate")
    parser.add_argument("--out", type=Path, required=True, help="a PNG")
    add_tool_options(parser)
    parser.add_argument("names", nargs="+", help="CATEGORY_MODEL_00")
    options = parser.parse_args()
    rows = [row(options, name) for name in options.names]
    sheet = sheet_of(COLUMNS, rows, lambda column: column * TILE + column // 3 * GAP)
    sheet.quantize(COLORS).save(options.out, optimize=True)


if __name__ == "__main__":
    main()
