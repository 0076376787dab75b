"""The visual hull of masks that may be wrong, and its silhouettes: what the photographs agree on."""

from dataclasses import replace
from functools import lru_cache
from typing import List

import cv2
import numpy as np

from p2mpp.photos.crop import Crop
from p2mpp.photos.seed import Seed, box_corners

VOXELS = 96  # along the longest side
COVERED = 0.6  # share of the photographs
SHADOW = 2.0  # voxels above the ground, that a shadow's hull may reach
AROUND = 0.05  # of a tightened box's size, on each side


@lru_cache(maxsize=2)
def _voxels(low: tuple, high: tuple, axes: bytes) -> np.ndarray:
    size = np.array(high) - low
    voxel = size.max() / VOXELS
    counts = np.maximum(1, np.ceil(size / voxel)).astype(int)
    steps = np.stack(np.meshgrid(*[np.arange(n) + 0.5 for n in counts], indexing="ij"), -1).reshape(-1, 3)
    return (np.array(low) + steps * voxel) @ np.frombuffer(axes).reshape(3, 3)


def voxels(seed: Seed) -> np.ndarray:
    """Centres [N,3] of the object's box's voxels."""
    return _voxels(tuple(seed.low), tuple(seed.high), np.ascontiguousarray(seed.axes, float).tobytes())


def voxel_size(seed: Seed) -> float:
    return float((seed.high - seed.low).max() / VOXELS)


def cells(crop: Crop, centres: np.ndarray):
    """(which of the points [N,3] fall into the crop [N] bool, their (column, row) [M,2])."""
    pixels = crop.pixels(centres)
    with np.errstate(invalid="ignore"):
        found = np.floor(pixels)
        inside = ((found >= 0) & (found < crop.shape[::-1])).all(1)
    return inside, found[inside].astype(int)


def vote(seed: Seed, crops: List[Crop], masks: List[np.ndarray]) -> np.ndarray:
    """[N] of voxels(): share of the photographs, of those that show the voxel, whose mask covers it; 0 where less than half
    of the photographs show it."""
    centres = voxels(seed)
    shown, covered = np.zeros(len(centres), np.int32), np.zeros(len(centres), np.int32)
    for crop, mask in zip(crops, masks):
        inside, at = cells(crop, centres)
        shown[inside] += 1
        covered[inside] += mask[at[:, 1], at[:, 0]]
    return np.where(shown >= max(2, len(crops) // 2), covered / np.maximum(shown, 1), 0).astype(np.float32)


def votes(seed: Seed, crop: Crop, shares: np.ndarray, lowest: float = 0.3) -> np.ndarray:
    """[H,W]: the largest share of the voxels on each pixel's ray; 0 where all are below `lowest`."""
    drawn = np.zeros(crop.shape, np.float32)
    kept = shares >= lowest
    if not kept.any():
        return drawn
    centres = voxels(seed)[kept]
    inside, at = cells(crop, centres)
    np.maximum.at(drawn, (at[:, 1], at[:, 0]), shares[kept][inside])
    depth = float(np.median(crop.view.seen(centres)[:, 2]))
    pair = crop.scale * crop.view.project(np.array([[0.0, 0, depth], [voxel_size(seed), 0, depth]]))
    width = int(np.ceil(np.linalg.norm(pair[1] - pair[0]))) | 1
    return cv2.dilate(drawn, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width + 2, width + 2)))


def above_ground(seed: Seed, crop: Crop, shares: np.ndarray) -> np.ndarray:
    """[H,W] bool: where the hull hides the ground. Its lowest voxels are left out: they hold the object's shadow, too, which belongs
    to the ground. seed.ground is known."""
    above = seed.ground.height(voxels(seed)) > SHADOW * voxel_size(seed)
    return votes(seed, crop, np.where(above, shares, 0)) >= COVERED


def tightened(seed: Seed, shares: np.ndarray) -> Seed:
    """The seed with a box around the voxels that most photographs cover: finer voxels."""
    along = voxels(seed)[shares >= COVERED] @ seed.axes.T
    if len(along) < 8:
        return seed
    margin = AROUND * np.ptp(along, axis=0) + 2 * voxel_size(seed)
    low, high = np.maximum(seed.low, along.min(0) - margin), np.minimum(seed.high, along.max(0) + margin)
    return replace(seed, low=low, high=high, corners=box_corners(low, high, seed.axes))
