"""How a finished mesh lies to points of the capture that surely are the object's."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Optional, Tuple

import numpy as np

from p2mpp.photos.scene import Scene

NEAR = 0.03  # of the mesh's diagonal
DEEP = 0.01  # of it: how much more than usual a cut goes below the points
TOGETHER = 8  # neighbours of a point, whose median tells that it is no error of its own
SAMPLES = 40000  # points of the surface
CHUNK = 50  # points at a time
FROM_ABOVE = 0.1  # sine of an angle: a camera above the object does not tell how the mesh is turned
NUMBERS = {"float": "<f4", "double": "<f8", "uchar": "u1", "uint8": "u1", "int": "<i4", "uint": "<u4"}


@dataclass(frozen=True)
class Nearness:
    """Shares of the points. near: near the surface. cut_off: outside of it, as their neighbours are: a piece of the object is missing."""

    near: float
    cut_off: float


def nearness(points: np.ndarray, scene: Scene, sample: Dict[str, Any], mesh: Path, in_camera: Optional[Path]) -> Optional[Nearness]:
    """Of points [N,3], in the capture's coordinates. sample: what p2mpp says of the mesh. mesh: its .ply in the world's frame.
    in_camera: its .xyz in the first view's; None if the .ply is in the capture's coordinates. Returns None if the two do not tell where
    the mesh is in the capture."""
    vertices, triangles = read_ply(mesh)
    placed = vertices
    if in_camera is not None:
        placed = _in_capture(vertices, np.loadtxt(in_camera).reshape(-1, 3), scene, sample["capture"])
    if placed is None or not len(points):
        return None
    surface, normals = _samples(placed, triangles)
    nearest = _nearest(points, surface)[:, 0]
    away = (points - surface[nearest]) / np.linalg.norm(np.ptp(placed, axis=0))
    distances = np.linalg.norm(away, axis=1)
    outside = distances * np.sign((away * normals[nearest]).sum(1))
    together = np.median(outside[_nearest(points, points, TOGETHER + 1)], axis=1)
    return Nearness(float((distances <= NEAR).mean()), float((together > max(0.0, np.median(outside)) + DEEP).mean()))


def _nearest(points: np.ndarray, others: np.ndarray, count: int = 1) -> np.ndarray:
    """[N,count]: numbers of the others [M,3] that are nearest to each point, in any order."""
    squared, count, found = (others**2).sum(1), min(count, len(others)), []
    for begin in range(0, len(points), CHUNK):
        distances = squared - 2 * points[begin:begin + CHUNK] @ others.T
        found.append(np.argpartition(distances, count - 1, axis=1)[:, :count])
    return np.concatenate(found)


def read_ply(path: Path) -> Tuple[np.ndarray, np.ndarray]:
    """Vertices [V,3] and triangles [T,3] of a binary PLY that p2mpp wrote."""
    head, _, body = path.read_bytes().partition(b"end_header\n")
    counts, fields, element = {}, [], ""
    for words in (line.split() for line in head.decode("ascii", "replace").splitlines()):
        if words[0] == "element":
            element = words[1]
            counts[element] = int(words[2])
        elif words[0] == "property" and element == "vertex":
            fields.append((words[2], NUMBERS[words[1]]))
    rows = np.frombuffer(body, np.dtype(fields), counts["vertex"])
    faces = np.frombuffer(body, np.dtype([("count", "u1"), ("corners", "<i4", 3)]), counts["face"], rows.nbytes)
    return np.column_stack([rows[axis] for axis in "xyz"]).astype(float), faces["corners"]


def _in_capture(vertices: np.ndarray, in_camera: np.ndarray, scene: Scene, capture: Dict[str, Any]) -> Optional[np.ndarray]:
    """Vertices of the world in the capture's coordinates. Centre, scale and up are known; the first view's camera tells the turn."""
    name = capture["photographs"][capture["views"][0]]["name"]
    view = next((view for view in scene.views if view.name == name), None)
    if view is None or vertices.shape != in_camera.shape:
        return None
    middle, other = vertices.mean(0), in_camera.mean(0)
    left, _, right = np.linalg.svd((in_camera - other).T @ (vertices - middle))
    rotation = left @ np.diag([1, 1, np.linalg.det(left @ right)]) @ right  # camera_from_world
    camera = middle - other @ rotation
    centre = np.array(capture["centre"])
    here, there = _axes(np.array([0.0, 1, 0]), camera), _axes(np.array(capture["up"]), view.centre - centre)
    if here is None or there is None:
        return None
    return capture["scale"] * vertices @ here.T @ there + centre


def _axes(up: np.ndarray, towards: np.ndarray) -> Optional[np.ndarray]:
    """[3,3]: its rows are up, across, and ahead."""
    across = np.cross(up, towards / max(math.hypot(*towards), 1e-12))
    if np.linalg.norm(across) < FROM_ABOVE:
        return None
    across /= np.linalg.norm(across)
    return np.stack([up, across, np.cross(up, across)])


def _samples(vertices: np.ndarray, triangles: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """Points of the surface, and their normals (not of unit length)."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1)
    rng = np.random.default_rng(0)
    chosen = rng.choice(len(triangles), SAMPLES, p=areas / areas.sum())
    u, v = np.sort(rng.random((2, SAMPLES, 1)), axis=0)
    return u * a[chosen] + (v - u) * b[chosen] + (1 - v) * c[chosen], normals[chosen]
