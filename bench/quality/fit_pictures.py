"""A picture of what more masks give: the network's mesh of a bundled shape, the mesh fitted to 3, 8 and 24 masks, and
the true shape, from two sides. The shape is rendered again with 24 views; meshes are made by `p2mpp predict` and drawn by
`p2mpp render`."""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, List

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from fit import views_of
from pictures import COLORS, DRAWN, FONT, HEADING, MARGIN, on_white, reach, run, true_mesh
from shared import ROOT, add_options

from p2mpp.shapes.camera import View, parse_row
from p2mpp.network.template import obj_text

MASKS = [3, 8, 24]
TILE, GAP = 190, 8  # pixels: a picture's width, between two


def rendered(out: Path, category: str, number: int) -> Path:
    """The sample's folder, with 24 views."""
    options = json.loads((ROOT / "data" / "generation.json").read_text())["options"]
    subprocess.run([sys.executable, "-m", "p2mpp.commands.generate", "--out", out, "--categories", category,
                    "--first-index", str(number), "--seed", str(options["seed"]), "--supersampling",
                    str(options["supersampling"]), "--views", "24", "--points", "100", "--quiet"], check=True)
    return out / category / f"p2mpp{number:04d}"


def meshes_of(options: argparse.Namespace, folder: Path, out: Path) -> Dict[str, Path]:
    """By heading; in the first camera's frame."""
    choices = {"the network's mesh, 3 views": ["--no-fit"]}
    for masks in MASKS:
        choices[f"fitted to {masks} masks"] = ["--fit-views", ",".join(map(str, views_of(masks)))]
    found = {}
    for number, (heading, choice) in enumerate(choices.items()):
        run(options.program, "predict", folder, "--model", options.model, "--out", out / str(number), *choice)
        found[heading] = out / str(number) / f"{folder.name}_predict.obj"
    return found


def drawn(program: Path, mesh: Path, frame: str, cameras: Path) -> List[Image.Image]:
    out = mesh.parent / "drawn"
    run(program, "render", "--cameras", cameras, "--size", str(DRAWN), "--samples", "16", "--no-ground", "--out", out,
        "--frame", frame, mesh)
    return [on_white(out / f"{mesh.stem}_view{view}.png") for view in (1, 2)]


def sheet_of(columns: Dict[str, List[Image.Image]]) -> Image.Image:
    """A row for each side; one scale for all."""
    count = len(next(iter(columns.values())))
    reaches = [[reach(picture) for picture in pictures] for pictures in columns.values()]
    extent = np.minimum(np.max(reaches, axis=0) + MARGIN, 1)
    across = extent.max()
    heights = [round(TILE * down / across) for _, down in extent]
    sheet = Image.new("RGB", (len(columns) * (TILE + GAP) - GAP, HEADING + sum(heights)), "white")
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(FONT)
    for column, (heading, pictures) in enumerate(columns.items()):
        left, top = column * (TILE + GAP), HEADING
        draw.text((left + TILE // 2, HEADING // 2), heading, "black", font, "mm")
        for k in range(count):
            half, down = pictures[k].size[0] / 2, extent[k][1]
            box = (half - across * half, half - down * half, half + across * half, half + down * half)
            sheet.paste(pictures[k].resize((TILE, heights[k]), Image.Resampling.LANCZOS, box), (left, top))
            top += heights[k]
    return sheet


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="a PNG")
    add_options(parser)
    parser.add_argument("name", help="CATEGORY_MODEL_00 of data/")
    options = parser.parse_args()
    category, model, _ = options.name.split("_")
    with tempfile.TemporaryDirectory() as temporary:
        out = Path(temporary)
        folder = rendered(out / "data", category, int(model.removeprefix("p2mpp")))
        first = parse_row((folder / "rendering" / "rendering_metadata.txt").read_text().splitlines()[0])
        cameras = out / "cameras.txt"
        cameras.write_text(f"{first.row()}\n{View(first.azimuth + 100, 20, first.distance).row()}\n")
        columns = {heading: drawn(options.program, mesh, "camera0", cameras)
                   for heading, mesh in meshes_of(options, folder, out).items()}
        truth = out / "truth" / "truth.obj"
        truth.parent.mkdir()
        truth.write_text(obj_text(true_mesh(ROOT / "data", category, model)))
        columns["the true shape"] = drawn(options.program, truth, "world", cameras)
        sheet_of(columns).quantize(COLORS).save(options.out, optimize=True)


if __name__ == "__main__":
    main()
