"""A picture of reconstructions: a row a sample, with its three photographs, the mesh after stage 1, the
result, and the true shape, from the first camera and from a side that no photograph shows. Meshes are
drawn by `p2mpp render`."""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import List

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "scripts" / "data")]

from p2mpp_data.camera import View, parse_row  # noqa: E402
from p2mpp_data.dataset import categories_named  # noqa: E402
from p2mpp_data.sample import SampleOptions, build_shape  # noqa: E402
from p2mpp_model.template import Mesh, obj_text  # noqa: E402

VIEWS = (0, 6, 7)
SIDE = 137  # pixels, as the photographs


def on_white(picture: Image.Image) -> Image.Image:
    white = Image.new("RGBA", picture.size, "white")
    return Image.alpha_composite(white, picture.convert("RGBA")).convert("RGB")


def true_mesh(data: Path, category: str, model: str) -> Mesh:
    """The generator's shape again, in the world's frame."""
    options = json.loads((data / "generation.json").read_text())["options"]
    options = SampleOptions(seed=options["seed"])
    shape = build_shape(options, categories_named([category])[0], int(model.removeprefix("p2mpp")))
    return Mesh(np.asarray(shape.vertices, np.float32), np.asarray(shape.triangles))


def draw(program: Path, meshes: List[Path], cameras: Path, frame: str, out: Path) -> None:
    """{name}_view1.png and {name}_view2.png of each mesh."""
    subprocess.run([program, "render", *meshes, "--cameras", cameras, "--frame", frame, "--size", str(SIDE), "--samples", "16",
                    "--quiet", "--out", out], check=True, stdout=subprocess.DEVNULL)


def row(options: argparse.Namespace, name: str) -> List[Image.Image]:
    category, model, _ = name.split("_")
    folder = options.data / category / model / "rendering"
    first = parse_row((folder / "rendering_metadata.txt").read_text().splitlines()[0])
    tiles = [on_white(Image.open(folder / f"{view:02d}.png")) for view in VIEWS]
    predicted = [options.predictions / category / f"{model}{ending}.obj" for ending in ("_coarse3", "_predict")]
    with tempfile.TemporaryDirectory() as temporary:
        out = Path(temporary)
        truth, cameras = out / "truth.obj", out / "cameras.txt"
        truth.write_text(obj_text(true_mesh(options.data, category, model)))
        cameras.write_text(f"{first.row()}\n{View(first.azimuth + 100, 20, 0.8).row()}\n")
        draw(options.program, predicted, cameras, "camera0", out)
        draw(options.program, [truth], cameras, "world", out)
        for view in (1, 2):
            tiles += [on_white(Image.open(out / f"{mesh.stem}_view{view}.png")) for mesh in (*predicted, truth)]
    return tiles


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT / "data")
    parser.add_argument("--predictions", type=Path, required=True,
                        help="what `p2mpp predict --coarse --out PREDICTIONS/CATEGORY` wrote")
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "p2mpp")
    parser.add_argument("--out", type=Path, required=True, help="a PNG")
    parser.add_argument("names", nargs="+", help="CATEGORY_MODEL_00")
    options = parser.parse_args()
    rows = [row(options, name) for name in options.names]
    sheet = Image.new("RGB", (SIDE * len(rows[0]), SIDE * len(rows)), "white")
    for y, tiles in enumerate(rows):
        for x, tile in enumerate(tiles):
            sheet.paste(tile, (x * SIDE, y * SIDE))
    sheet.quantize(128).save(options.out, optimize=True)


if __name__ == "__main__":
    main()
