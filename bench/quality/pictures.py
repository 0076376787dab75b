"""A picture of reconstructions: a row a sample, with its three photographs, the mesh after stage 1, the
result, and the true shape, from the first camera and from a side that no photograph shows."""

import argparse
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import List

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "scripts" / "data")]

from p2mpp_data.camera import View, parse_row, world_from_cam  # noqa: E402
from p2mpp_data.dataset import categories_named  # noqa: E402
from p2mpp_data.materials import Material  # noqa: E402
from p2mpp_data.sample import SampleOptions, build_shape  # noqa: E402
from p2mpp_data.shading import Lights, render  # noqa: E402
from p2mpp_model.template import read_obj  # noqa: E402

VIEWS = (0, 6, 7)
LIGHTS = Lights(np.array([[0.5, 0.7, 0.5], [-0.6, 0.2, 0.7]]), np.array([[0.5] * 3, [0.2] * 3]), 0.2,
                np.full(3, 0.3), np.full(3, 0.18))
PLAIN = Material(color=(0.72, 0.76, 0.82))


def on_white(picture: Image.Image) -> Image.Image:
    white = Image.new("RGBA", picture.size, "white")
    return Image.alpha_composite(white, picture.convert("RGBA")).convert("RGB")


def mesh_shape(vertices: np.ndarray, faces: np.ndarray) -> SimpleNamespace:
    """What p2mpp_data.shading.render reads of a shape: one material, smooth normals."""
    across = np.cross(vertices[faces[:, 1]] - vertices[faces[:, 0]],
                      vertices[faces[:, 2]] - vertices[faces[:, 0]])
    normals = np.zeros_like(vertices)
    for corner in range(3):
        np.add.at(normals, faces[:, corner], across)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True).clip(1e-12)
    return SimpleNamespace(vertices=vertices, triangles=faces, corner_normals=normals[faces],
                           material_ids=np.zeros(len(faces), int), materials=(PLAIN,))


def true_shape(data: Path, category: str, model: str) -> SimpleNamespace:
    """The generator's shape again, in one colour."""
    options = json.loads((data / "generation.json").read_text())["options"]
    options = SampleOptions(seed=options["seed"])
    shape = build_shape(options, categories_named([category])[0], int(model.removeprefix("p2mpp")))
    return SimpleNamespace(vertices=shape.vertices, triangles=shape.triangles,
                           corner_normals=shape.corner_normals, materials=(PLAIN,),
                           material_ids=np.zeros(len(shape.triangles), int))


def row(data: Path, predictions: Path, name: str) -> List[Image.Image]:
    category, model, _ = name.split("_")
    folder = data / category / model / "rendering"
    lines = (folder / "rendering_metadata.txt").read_text().splitlines()
    first = parse_row(lines[0])
    tiles = [on_white(Image.open(folder / f"{view:02d}.png")) for view in VIEWS]
    shapes = []
    for ending in ("_coarse3.obj", "_predict.obj"):
        mesh = read_obj(str(predictions / category / f"{model}{ending}"))
        world = world_from_cam(first, mesh.vertices.astype(np.float64))
        shapes.append(mesh_shape(world, mesh.faces))
    shapes.append(true_shape(data, category, model))
    side = View(first.azimuth + 100, 20, 0.8)
    for view in (first, side):
        tiles += [on_white(Image.fromarray(render(shape, view, LIGHTS))) for shape in shapes]
    return tiles


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT / "data")
    parser.add_argument("--predictions", type=Path, required=True,
                        help="what `p2mpp predict --coarse --out PREDICTIONS/CATEGORY` wrote")
    parser.add_argument("--out", type=Path, required=True, help="a PNG")
    parser.add_argument("names", nargs="+", help="CATEGORY_MODEL_00")
    options = parser.parse_args()
    rows = [row(options.data, options.predictions, name) for name in options.names]
    side = rows[0][0].width
    sheet = Image.new("RGB", (side * len(rows[0]), side * len(rows)), "white")
    for y, tiles in enumerate(rows):
        for x, tile in enumerate(tiles):
            sheet.paste(tile, (x * side, y * side))
    sheet.quantize(128).save(options.out, optimize=True)


if __name__ == "__main__":
    main()
