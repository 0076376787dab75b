"""Baselines without a network: the undeformed template at the object's centre, and the training shape whose silhouettes
are most alike, scored by `p2mpp metrics`."""

import argparse
import subprocess
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image

from p2mpp.shapes.camera import View, cam_from_world, project, world_from_cam
from p2mpp.network.dat_template import read_template
from p2mpp.network.template import Mesh, obj_text, subdivide
from p2mpp.shapes.records import PUBLISHED_VIEWS
from p2mpp.training.samples import (read_cameras, read_list, read_truth, rendering_folder,
                                 rotation_and_origin)
from shared import NETWORK_VIEWS, ROOT

GRID = 64  # pixels a side of the silhouettes that are compared
KINDS = ("template", "nearest")
CANDIDATES = 100  # best by the first view; of these, all views choose
VERTICES = 2466


class Pictures(NamedTuple):
    """Silhouettes [V,GRID*GRID] bool and camera rows [V,5] of a sample's pictures."""

    silhouettes: np.ndarray
    cameras: np.ndarray


def silhouette(alpha: Image.Image) -> np.ndarray:
    return np.asarray(alpha.resize((GRID, GRID), Image.Resampling.BOX)).reshape(-1) >= 128


def read_pictures(data: Path, name: str) -> Pictures:
    """The pictures of a sample that the network reads."""
    folder = rendering_folder(data, name)
    found = []
    for view in NETWORK_VIEWS:
        with Image.open(folder / f"{view:02d}.png") as picture:
            found.append(silhouette(picture.convert("RGBA").getchannel("A")))
    return Pictures(np.stack(found), read_cameras(folder / "rendering_metadata.txt")[list(NETWORK_VIEWS)])


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


class Library:
    """The training shapes of p2mpp-shards, in the views that are as ShapeNet's."""

    def __init__(self, shards: Path):
        self.files = [np.load(file, mmap_mode="r") for file in sorted(shards.glob("*.npy"))]
        self.records = [(file, number) for file in self.files for number in range(len(file))]
        self.owner = np.repeat(np.arange(len(self.records)), PUBLISHED_VIEWS)
        self.silhouettes = np.stack([silhouette(Image.fromarray(picture)) for file in self.files
                                     for record in file for picture in record["pictures"][:PUBLISHED_VIEWS, ..., 3]])
        azimuth, elevation, distance = np.concatenate(
            [file["cameras"][:, :PUBLISHED_VIEWS].reshape(-1, 3) for file in self.files]).T
        roll, field_of_view = np.zeros_like(azimuth), np.full_like(azimuth, 25)
        self.cameras = np.stack([azimuth, elevation, roll, distance, field_of_view], 1)

    def world_points(self, owner: int) -> np.ndarray:
        file, number = self.records[owner]
        return file[number]["points"].astype(np.float64)

    def nearest(self, wanted: Pictures) -> np.ndarray:
        """The points of the shape that agrees best with all the pictures, in the world frame."""
        similar = overlap(wanted.silhouettes[0], self.silhouettes).argsort()[::-1][:CANDIDATES]
        best, chosen = -1.0, None
        for view in similar:
            points = turned(self.world_points(self.owner[view]), self.cameras[view], wanted.cameras)
            agreement = np.mean([overlap(silhouette, splatted(points, row)[None])[0]
                                 for silhouette, row in zip(*wanted)])
            if agreement > best:
                best, chosen = agreement, points
        return chosen


read_library = cache(Library)


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


def score_baselines(program: Path, shards: Path, data: Path, names: Path, out: Path) -> None:
    """Writes both baselines of a list of samples into out/template and out/nearest, and their scores into
    out/template-scores and out/nearest-scores, unless these are there."""
    if all((out / f"{kind}-scores" / "summary.json").exists() for kind in KINDS):
        return
    library, template = read_library(shards), finest_template()
    for kind in KINDS:
        (out / kind).mkdir(parents=True, exist_ok=True)
    for name in read_list(names):
        wanted = read_pictures(data, name)
        write_template(out / "template", name, template, read_truth(data, name))
        write_nearest(out / "nearest", name, library.nearest(wanted), wanted.cameras)
    for kind in KINDS:
        subprocess.run([program, "metrics", out / kind, data, "--list", names, "--out", out / f"{kind}-scores"],
                       check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="samples, with the ground truth in it")
    parser.add_argument("--list", type=Path, required=True, help="ids to predict")
    parser.add_argument("--shards", type=Path, required=True, help="that were trained on")
    parser.add_argument("--out", type=Path, required=True, help="gets meshes and scores")
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "p2mpp")
    options = parser.parse_args()
    score_baselines(options.program.resolve(), options.shards, options.data, options.list, options.out)


if __name__ == "__main__":
    main()
