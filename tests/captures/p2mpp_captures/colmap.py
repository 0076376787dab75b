"""COLMAP's models as text and as binary: cameras, images, points3D. Written from its manual's page "Output Format"."""

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Tuple

import numpy as np

from .lens import Lens
from .pose import Pose

# name: (number in binary files, parameters of a lens)
MODELS = {
    "SIMPLE_PINHOLE": (0, lambda l: (l.fx, l.cx, l.cy)),
    "PINHOLE": (1, lambda l: (l.fx, l.fy, l.cx, l.cy)),
    "SIMPLE_RADIAL": (2, lambda l: (l.fx, l.cx, l.cy, *l.coefficients(1))),
    "RADIAL": (3, lambda l: (l.fx, l.cx, l.cy, *l.coefficients(2))),
    "OPENCV": (4, lambda l: (l.fx, l.fy, l.cx, l.cy, *l.coefficients(4))),
    "OPENCV_FISHEYE": (5, lambda l: (l.fx, l.fy, l.cx, l.cy, *l.coefficients(4))),
    "FULL_OPENCV": (6, lambda l: (l.fx, l.fy, l.cx, l.cy, *l.coefficients(8))),
}


@dataclass(frozen=True)
class Image:
    """One picture of a model. observations [N,2] (column, row); point_ids [N], -1 for none."""

    name: str
    camera: int
    pose: Pose  # cam_from_source
    observations: np.ndarray
    point_ids: np.ndarray


@dataclass(frozen=True)
class Model:
    """cameras by id: (model's name, lens); images by id; points [P,3] and colours [P,3] uint8, ids from 1 on."""

    cameras: Dict[int, Tuple[str, Lens]]
    images: Dict[int, Image]
    points: np.ndarray
    colors: np.ndarray

    def tracks(self) -> List[List[Tuple[int, int]]]:
        """(image, number of the observation) that see each point."""
        tracks = [[] for _ in self.points]
        for number, image in self.images.items():
            for k, point in enumerate(image.point_ids):
                if point > 0:
                    tracks[point - 1].append((number, k))
        return tracks


def quaternion(rotation: np.ndarray) -> np.ndarray:
    """(w, x, y, z) of a rotation: the eigenvector of Bar-Itzhack's matrix with the largest eigenvalue."""
    r = rotation
    k = np.array([[r[0, 0] - r[1, 1] - r[2, 2], r[1, 0] + r[0, 1], r[2, 0] + r[0, 2], r[2, 1] - r[1, 2]],
                  [0, r[1, 1] - r[0, 0] - r[2, 2], r[2, 1] + r[1, 2], r[0, 2] - r[2, 0]],
                  [0, 0, r[2, 2] - r[0, 0] - r[1, 1], r[1, 0] - r[0, 1]],
                  [0, 0, 0, r[0, 0] + r[1, 1] + r[2, 2]]])
    x, y, z, w = np.linalg.eigh(k, UPLO="U")[1][:, -1]
    found = np.array([w, x, y, z])
    return found if w >= 0 else -found


def write(folder: Path, model: Model, binary: bool) -> None:
    """The three files into a folder that is made."""
    folder.mkdir(parents=True, exist_ok=True)
    if binary:
        (folder / "cameras.bin").write_bytes(_cameras_bin(model))
        (folder / "images.bin").write_bytes(_images_bin(model))
        (folder / "points3D.bin").write_bytes(_points_bin(model))
    else:
        (folder / "cameras.txt").write_text(_cameras_txt(model))
        (folder / "images.txt").write_text(_images_txt(model))
        (folder / "points3D.txt").write_text(_points_txt(model))


def _numbers(values) -> str:
    return " ".join(repr(float(value)) for value in values)


def _cameras_txt(model: Model) -> str:
    lines = ["# Camera list with one line of data per camera:", "#   CAMERA_ID, MODEL, WIDTH, HEIGHT, PARAMS[]",
             f"# Number of cameras: {len(model.cameras)}"]
    lines += [f"{number} {name} {lens.width} {lens.height} {_numbers(MODELS[name][1](lens))}"
              for number, (name, lens) in model.cameras.items()]
    return "\n".join(lines) + "\n"


def _images_txt(model: Model) -> str:
    lines = ["# Image list with two lines of data per image:",
             "#   IMAGE_ID, QW, QX, QY, QZ, TX, TY, TZ, CAMERA_ID, NAME", "#   POINTS2D[] as (X, Y, POINT3D_ID)",
             f"# Number of images: {len(model.images)}"]
    for number, image in model.images.items():
        pose = _numbers([*quaternion(image.pose.rotation), *image.pose.translation])
        lines.append(f"{number} {pose} {image.camera} {image.name}")
        lines.append(" ".join(f"{_numbers(at)} {point}" for at, point in zip(image.observations, image.point_ids)))
    return "\n".join(lines) + "\n"


def _points_txt(model: Model) -> str:
    lines = ["# 3D point list with one line of data per point:",
             "#   POINT3D_ID, X, Y, Z, R, G, B, ERROR, TRACK[] as (IMAGE_ID, POINT2D_IDX)",
             f"# Number of points: {len(model.points)}"]
    for number, (point, color, track) in enumerate(zip(model.points, model.colors, model.tracks()), start=1):
        seen = " ".join(f"{image} {k}" for image, k in track)
        lines.append(f"{number} {_numbers(point)} {' '.join(map(str, color))} 0.5 {seen}")
    return "\n".join(lines) + "\n"


def _cameras_bin(model: Model) -> bytes:
    parts = [struct.pack("<Q", len(model.cameras))]
    for number, (name, lens) in model.cameras.items():
        kind, parameters = MODELS[name]
        values = parameters(lens)
        parts.append(struct.pack(f"<iiQQ{len(values)}d", number, kind, lens.width, lens.height, *values))
    return b"".join(parts)


def _images_bin(model: Model) -> bytes:
    parts = [struct.pack("<Q", len(model.images))]
    for number, image in model.images.items():
        parts.append(struct.pack("<i7di", number, *quaternion(image.pose.rotation), *image.pose.translation,
                                 image.camera))
        parts.append(image.name.encode() + b"\0" + struct.pack("<Q", len(image.point_ids)))
        parts += [struct.pack("<ddq", *at, point) for at, point in zip(image.observations, image.point_ids)]
    return b"".join(parts)


def _points_bin(model: Model) -> bytes:
    parts = [struct.pack("<Q", len(model.points))]
    for number, (point, color, track) in enumerate(zip(model.points, model.colors, model.tracks()), start=1):
        parts.append(struct.pack("<Q3d3BdQ", number, *point, *color, 0.5, len(track)))
        parts += [struct.pack("<ii", image, k) for image, k in track]
    return b"".join(parts)
