"""Photographs of a textured object that stands on a textured ground: for real structure from motion."""

from dataclasses import replace
from typing import Tuple

import numpy as np

from .capture import over
from .lens import Lens
from .pose import Pose
from .rendering import render
from .shapes import Subject
from .texture import blotches

SPOT = 0.06  # of the normalised world's unit: the largest spots of the object's texture
GROUND_SPOT = 0.12
LIGHT, DARK = np.array([0.85, 0.8, 0.7]), np.array([0.12, 0.1, 0.16])
GROUND_LIGHT, GROUND_DARK = np.array([200, 190, 170]), np.array([50, 60, 55])
SKY = np.array([190, 200, 210])
GROUND_REACH = 2.5


def textured(subject: Subject, seed: int = 1, spot: float = SPOT) -> Subject:
    """The same object with spots of many sizes painted all over it, and no highlights, which move with the camera."""
    shape = subject.shape
    materials = tuple(
        replace(material, color=tuple(LIGHT), accent=tuple(DARK), specular=0.0,
                pattern=lambda built, number=number: blotches(built, spot / shape.build_scale, seed + 10 * number))
        for number, material in enumerate(shape.materials))
    return replace(subject, shape=replace(shape, materials=materials))


def photograph(subject: Subject, pose: Pose, lens: Lens, seed: int = 1) -> Tuple[np.ndarray, np.ndarray]:
    """(RGB uint8 [height, width, 3], the object's mask [height, width] of 0 and 255)."""
    picture = render(subject, pose, lens)
    mask = np.where(picture[..., 3] >= 128, 255, 0).astype(np.uint8)
    return over(picture, _ground(subject, pose, lens, seed)), mask


def _ground(subject: Subject, pose: Pose, lens: Lens, seed: int) -> np.ndarray:
    """The background: the plane on which the object stands, and the sky. One ray a pixel."""
    columns, rows = np.meshgrid(np.arange(lens.width) + 0.5, np.arange(lens.height) + 0.5)
    slopes = lens.slopes(np.stack([columns.ravel(), rows.ravel()], 1))
    rays = np.column_stack([slopes, np.ones(len(slopes))]) @ pose.rotation
    reach = (subject.shape.vertices[:, 1].min() - pose.center[1]) / np.where(rays[:, 1] < 0, rays[:, 1], np.nan)
    points = pose.center + rays * reach[:, None]
    met = np.flatnonzero(np.hypot(points[:, 0], points[:, 2]) < GROUND_REACH)
    picture = np.tile(SKY, (len(rays), 1)).astype(np.float64)
    weight = blotches(points[met], GROUND_SPOT, seed + 100)[:, None]
    picture[met] = GROUND_LIGHT + weight * (GROUND_DARK - GROUND_LIGHT)
    return np.rint(picture).astype(np.uint8).reshape(lens.height, lens.width, 3)
