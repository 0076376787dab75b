"""What needs no network: the undeformed template where the object is, and the training shape whose
pictures look most alike. Written as `p2mpp metrics` reads predictions."""

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import List, NamedTuple

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]

from p2mpp.shapes.camera import View, cam_from_world, project, world_from_cam
from p2mpp.network.dat_template import read_template
from p2mpp.network.template import Mesh, obj_text, subdivide
from p2mpp.training.samples import (read_cameras, read_list, read_truth, rendering_folder,
                                 rotation_and_origin)

GRID = 64  # pixels a side of the silhouettes that are compared
VIEWS = (0, 6, 7)
CANDIDATES = 100  # best by the first view; of these, all views choose
VERTICES = 2466


class Pictures(NamedTuple):
    """Silhouettes [V,GRID*GRID] bool and camera rows [V,5] of a sample's pictures."""

    silhouettes: np.ndarray
    cameras: np.ndarray


def silhouette(file: Path) -> np.ndarray:
    with Image.open(file) as picture:
        alpha = picture.convert("RGBA").getchannel("A")
        return np.asarray(alpha.resize((GRID, GRID), Image.Resampling.BOX)).reshape(-1) >= 128


def read_pictures(data: Path, views, name: str) -> Pictures:
    folder = rendering_folder(data, name)
    cameras = read_cameras(folder / "rendering_metadata.txt")
    numbers = [k for k in views or range(len(cameras)) if (folder / f"{k:02d}.png").is_file()]
    return Pictures(np.stack([silhouette(folder / f"{k:02d}.png") for k in numbers]),
                    cameras[numbers])


def overlap(first: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Intersection over union of one silhouette [P] with others [N,P]."""
    both = (others & first).sum(1)
    return both / np.maximum((others | first).sum(1), 1)


def splatted(points: np.ndarray, row: np.ndarray) -> np.ndarray:
    """The silhouette of points [N,3] of the world frame in a camera row's view."""
    pixels = project(cam_from_world(View(row[0], row[1], row[3]), points), GRID)
    columns, rows = np.floor(pixels).astype(int).clip(0, GRID - 1).T
    image = np.zeros((GRID + 2, GRID + 2), bool)
    image[rows + 1, columns + 1] = True
    closed = image[1:-1, 1:-1] | (image[:-2, 1:-1] & image[2:, 1:-1]) | (image[1:-1, :-2]
                                                                        & image[1:-1, 2:])
    return closed.reshape(-1)


def turned(points: np.ndarray, seen_by: np.ndarray, cameras: np.ndarray) -> np.ndarray:
    """World points [N,3] of a training shape, turned so that cameras[0] sees what the camera row
    `seen_by` saw: in the world frame of `cameras`."""
    rotation, _ = rotation_and_origin(seen_by)
    first = View(cameras[0][0], cameras[0][1], cameras[0][3])
    return world_from_cam(first, points @ rotation.T - [0, 0, cameras[0][3]])


def world_points(data: Path, name: str) -> np.ndarray:
    truth = read_truth(data, name)[:, :3]
    row = read_cameras(rendering_folder(data, name) / "rendering_metadata.txt")[0]
    rotation, origin = rotation_and_origin(row)
    return truth @ rotation + origin


class Library:
    """The training shapes, view by view."""

    def __init__(self, data: Path, names: List[str], workers: int):
        with ProcessPoolExecutor(workers) as pool:
            found = list(pool.map(partial(read_pictures, data, None), names, chunksize=64))
        self.data, self.names = data, names
        self.owner = np.repeat(np.arange(len(names)), [len(each.cameras) for each in found])
        self.silhouettes = np.concatenate([each.silhouettes for each in found])
        self.cameras = np.concatenate([each.cameras for each in found])

    def nearest(self, wanted: Pictures) -> np.ndarray:
        """The points of the shape that agrees best with all the pictures, in the world frame."""
        similar = overlap(wanted.silhouettes[0], self.silhouettes).argsort()[::-1][:CANDIDATES]
        best, chosen = -1.0, None
        for view in similar:
            points = turned(world_points(self.data, self.names[self.owner[view]]),
                            self.cameras[view], wanted.cameras)
            agreement = np.mean([overlap(silhouette, splatted(points, row)[None])[0]
                                 for silhouette, row in zip(*wanted)])
            if agreement > best:
                best, chosen = agreement, points
        return chosen


def finest_template() -> Mesh:
    mesh = read_template(str(ROOT / "data/templates/ellipsoid_156.obj")).mesh
    vertices, faces = mesh.vertices, mesh.faces
    while len(vertices) < VERTICES:
        edges, faces = subdivide(len(vertices), faces)
        vertices = np.concatenate([vertices, vertices[edges].mean(1)])
    return Mesh(vertices, faces)


def write_template(out: Path, name: str, template: Mesh, truth: np.ndarray) -> None:
    moved = template.vertices - template.vertices.mean(0) + truth[:, :3].mean(0)
    (out / f"{name}_predict.obj").write_text(obj_text(Mesh(moved.astype(np.float32), template.faces)))


def write_nearest(out: Path, name: str, points: np.ndarray, cameras: np.ndarray) -> None:
    """As many points as the network's mesh has vertices, in the first camera's frame."""
    chosen = np.random.default_rng(1).choice(len(points), VERTICES, replace=False)
    first = View(cameras[0][0], cameras[0][1], cameras[0][3])
    np.savetxt(out / f"{name}_predict.xyz", cam_from_world(first, points[chosen]), fmt="%.6f")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--list", type=Path, required=True, help="ids that were trained on")
    parser.add_argument("--held-out", type=Path, required=True, help="ids to predict")
    parser.add_argument("--out", type=Path, required=True, help="gets template/ and nearest/")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    held_out = read_list(options.held_out)
    trained = [name for name in read_list(options.list) if name not in set(held_out)]
    library = Library(options.data, trained, options.workers)
    template = finest_template()
    folders = [options.out / "template", options.out / "nearest"]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    for name in held_out:
        wanted = read_pictures(options.data, VIEWS, name)
        write_template(folders[0], name, template, read_truth(options.data, name))
        write_nearest(folders[1], name, library.nearest(wanted), wanted.cameras)


if __name__ == "__main__":
    main()
