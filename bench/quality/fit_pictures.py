"""A picture of what more masks give: the network's mesh of a bundled shape, the mesh fitted to 3, 8 and 24 masks, and
the true shape, from two sides. The shape is rendered again with 24 views; meshes are made by `p2mpp predict` and drawn by
`p2mpp render`."""

import argparse
import tempfile
from pathlib import Path
from typing import Dict, List

from PIL import Image

from fit import views_of
from pictures import COLORS, extent_of, on_white, render, run, sheet_of, tile, true_mesh, write_cameras
from shared import ROOT, add_tool_options, generate

from p2mpp.network.template import obj_text

MASKS = [3, 8, 24]
TILE, GAP = 190, 8  # pixels: a picture's width, between two


def meshes_of(options: argparse.Namespace, folder: Path, out: Path) -> Dict[str, Path]:
    """By heading; in the first camera's frame."""
    choices = {"the network's mesh, 3 views": ["--no-fit"]}
    for masks in MASKS:
        choices[f"fitted to {masks} masks"] = ["--fit-views", ",".join(map(str, views_of(masks)))]
    found = {}
    for number, (heading, choice) in enumerate(choices.items()):
        run(options.program, "predict", folder, "--model", options.model, "--surface", "template", "--out", out / str(number),
            *choice)
        found[heading] = out / str(number) / f"{folder.name}_predict.obj"
    return found


def drawn(program: Path, mesh: Path, frame: str, cameras: Path) -> List[Image.Image]:
    out = mesh.parent / "drawn"
    render(program, cameras, out, frame, mesh)
    return [on_white(out / f"{mesh.stem}_view{view}.png") for view in (1, 2)]


def sheet(columns: Dict[str, List[Image.Image]]) -> Image.Image:
    """A row for each side; one scale for all."""
    sides = list(zip(*columns.values()))
    extents = [extent_of(side) for side in sides]
    across = max(map(max, extents))
    rows = [[tile(picture, across, down, TILE) for picture in side] for side, (_, down) in zip(sides, extents)]
    return sheet_of(list(columns), rows, lambda column: column * (TILE + GAP))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="a PNG")
    add_tool_options(parser)
    parser.add_argument("name", help="CATEGORY_MODEL_00 of data/")
    options = parser.parse_args()
    category, model, _ = options.name.split("_")
    with tempfile.TemporaryDirectory() as temporary:
        out = Path(temporary)
        generate(out / "data", "--categories", category, "--first-index", model.removeprefix("p2mpp"), "--points", "100")
        folder, cameras = out / "data" / category / model, out / "cameras.txt"
        write_cameras(cameras, folder)
        columns = {heading: drawn(options.program, mesh, "camera0", cameras)
                   for heading, mesh in meshes_of(options, folder, out).items()}
        truth = out / "truth" / "truth.obj"
        truth.parent.mkdir()
        truth.write_text(obj_text(true_mesh(ROOT / "data", category, model)))
        columns["the true shape"] = drawn(options.program, truth, "world", cameras)
        sheet(columns).quantize(COLORS).save(options.out, optimize=True)


if __name__ == "__main__":
    main()
