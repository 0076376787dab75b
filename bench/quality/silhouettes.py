"""Intersection over union of a mesh's silhouette and of the object in each picture it was made from."""

import argparse
import sys
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "scripts" / "data")]

from p2mpp_data.camera import View, cam_from_world, project, world_from_cam  # noqa: E402
from p2mpp_data.rasterizer import rasterize  # noqa: E402
from p2mpp_model.template import read_obj  # noqa: E402

SIDE = 224
WHITE = 250  # a channel below it is the object's


def object_mask(file: Path) -> np.ndarray:
    """[SIDE,SIDE] bool: opaque and not white."""
    with Image.open(file) as picture:
        pixels = np.asarray(picture.convert("RGBA").resize((SIDE, SIDE), Image.Resampling.BILINEAR))
    return (pixels[..., 3] >= 128) & (pixels[..., :3].min(2) < WHITE)


def mesh_mask(vertices: np.ndarray, triangles: np.ndarray, view: View) -> np.ndarray:
    """[SIDE,SIDE] bool of a mesh in the world frame, however its triangles are wound."""
    points = cam_from_world(view, vertices)
    mask = np.zeros(SIDE * SIDE, bool)
    for wound in (triangles, triangles[:, ::-1]):
        mask[rasterize(project(points, SIDE), -1.0 / points[:, 2], wound, SIDE).index] = True
    return mask.reshape(SIDE, SIDE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mesh", help="in the first camera's frame, as `p2mpp predict` writes it")
    parser.add_argument("--images", type=Path, nargs="+", required=True)
    parser.add_argument("--cameras", type=Path, required=True)
    options = parser.parse_args()
    rows = np.loadtxt(options.cameras, ndmin=2)
    views = [View(row[0], row[1], row[3]) for row in rows]
    mesh = read_obj(options.mesh)
    world = world_from_cam(views[0], mesh.vertices.astype(np.float64))
    for image, view in zip(options.images, views):
        seen, made = object_mask(image), mesh_mask(world, mesh.faces, view)
        print(f"{image.name} {(seen & made).sum() / (seen | made).sum():.3f}")


if __name__ == "__main__":
    main()
