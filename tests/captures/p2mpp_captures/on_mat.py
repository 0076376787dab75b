"""Photographs of an object that stands on a printed mat, which lies on a white or a patterned table."""

from dataclasses import dataclass
from functools import lru_cache
from typing import List, Tuple

import numpy as np

from p2mpp.photos.mat import MODULES, Mat, modules

from .capture import over
from .lens import Lens
from .photographs import GROUND_DARK, GROUND_LIGHT, GROUND_SPOT
from .pose import Pose, Similarity
from .rendering import render
from .shapes import Subject
from .texture import blotches

DIAGONAL = 0.57  # of the object's box, in the normalised world
WHITE, PAPER, INK = np.array([228, 227, 224]), np.array([244, 244, 242]), np.array([28, 28, 30])
SAMPLES = 3  # each way, of a pixel
FADES = 4.0  # of the world's unit: where the table becomes the room


@dataclass(frozen=True)
class Table:
    """diagonal: of the object's box, in millimetres. degrees: by which the mat is turned below the object."""

    mat: Mat
    diagonal: float = 150.0
    degrees: float = 0.0
    patterned: bool = False


def world_from_mat(subject: Subject, table: Table) -> Similarity:
    """Millimetres of the mat's frame, z up, in the world of the object, y up: it stands on the mat's middle."""
    vertices, angle = subject.shape.vertices, np.radians(table.degrees)
    low, high = vertices.min(0), vertices.max(0)
    x, y = np.array([np.cos(angle), 0, np.sin(angle)]), np.array([np.sin(angle), 0, -np.cos(angle)])
    middle = np.array([(low[0] + high[0]) / 2, low[1], (low[2] + high[2]) / 2])
    return Similarity(DIAGONAL / table.diagonal, np.stack([x, y, [0, 1, 0]], 1), middle)


def photograph_on_mat(subject: Subject, pose: Pose, lens: Lens, table: Table) -> Tuple[np.ndarray, np.ndarray]:
    """(RGB uint8 [height, width, 3], the object's mask [height, width] of 0 and 255)."""
    picture = render(subject, pose, lens)
    mask = np.where(picture[..., 3] >= 128, 255, 0).astype(np.uint8)
    return over(picture, ground(subject, pose, lens, table)), mask


def ground(subject: Subject, pose: Pose, lens: Lens, table: Table) -> np.ndarray:
    """Mat and table without the object: uint8 [height, width, 3]."""
    place = world_from_mat(subject, table)
    total = np.zeros((lens.height * lens.width, 3))
    centres = None
    for slopes in _slopes(lens):
        rays = np.column_stack([slopes, np.ones(len(slopes))]) @ pose.rotation
        reach = (place.translation[1] - pose.center[1]) / np.where(rays[:, 1] < -1e-9, rays[:, 1], -1e-9)
        places = (pose.center + rays * reach[:, None] - place.translation) @ place.rotation[:, :2] / place.scale
        centres = _table(table, places, place.scale) if centres is None else centres
        total += _printed(table.mat, places, centres)
    return np.rint(total / SAMPLES**2).astype(np.uint8).reshape(lens.height, lens.width, 3)


@lru_cache(1)
def _slopes(lens: Lens) -> List[np.ndarray]:
    """(x/z, y/z) [H*W,2] of each sample of all pixels, the middle one first."""
    columns, rows = np.meshgrid(np.arange(lens.width), np.arange(lens.height))
    steps = sorted((((x + 0.5) / SAMPLES - 0.5, (y + 0.5) / SAMPLES - 0.5) for x, y in np.ndindex(SAMPLES, SAMPLES)), key=np.linalg.norm)
    return [lens.slopes(np.stack([columns.ravel() + 0.5 + x, rows.ravel() + 0.5 + y], 1)) for x, y in steps]


def _table(table: Table, places: np.ndarray, scale: float) -> np.ndarray:
    """Colours [N,3] of places [N,2] in millimetres of the mat's frame, below the mat."""
    colours = np.tile(WHITE, (len(places), 1)).astype(float)
    if table.patterned:
        near = np.flatnonzero(np.linalg.norm(places, axis=1) * scale < FADES)
        points = np.column_stack([scale * places[near], np.zeros(len(near))])
        colours[near] = GROUND_LIGHT + blotches(points, GROUND_SPOT, 101)[:, None] * (GROUND_DARK - GROUND_LIGHT)
    return colours


def _printed(mat: Mat, places: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Colours [N,3] with the mat on the table."""
    colours, sheet = below.copy(), places + mat.centre
    on = np.flatnonzero(((sheet > 0) & (sheet < (mat.paper.width, mat.paper.height))).all(1))
    colours[on] = PAPER
    ring = on[(np.abs(places[on]) > mat.free).any(1)]
    for number, corners in mat.corners.items():
        cells = np.floor((places[ring] - corners[0, :2]) * (1, -1) * MODULES / mat.paper.marker)
        inside = np.flatnonzero(((cells >= 0) & (cells < MODULES)).all(1))
        column, row = cells[inside].astype(int).T
        colours[ring[inside[modules(number)[row, column]]]] = INK
    return colours
