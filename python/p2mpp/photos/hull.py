"""The visual hull of masks that may be wrong, and its silhouettes: what the photographs agree on."""

from concurrent.futures import Executor
from dataclasses import replace
from typing import List, Optional

import cv2
import numpy as np

from p2mpp.photos.crop import Crop
from p2mpp.photos.seed import Seed, box_corners, components

VOXELS = 96  # along the longest side
COVERED = 0.6  # share of the photographs
SHOWN = 0.25  # of the photographs, that must show a voxel
SHADOW = 2.0  # voxels above the ground, that a shadow's hull may reach
AROUND = 0.05  # of a tightened box's size, on each side
LINK = 4.0  # voxels: parts so near belong together
FRAMED = 0.7  # share of the photographs that show what makes the box wider: where few look, masks hold anything
WIDER = 0.5  # of a box's size, by which a side moves that the object reaches
LOWEST = 0.3  # share, below which a voxel is on no pixel's ray


class Hull:
    """The voxels of the object's box, and where each crop shows them. What lies beyond a photograph's border is unknown: it has no vote."""

    def __init__(self, seed: Seed, crops: List[Crop], pool: Executor):
        size = seed.high - seed.low
        self.seed, self.crops = seed, crops
        self.voxel = float(size.max() / VOXELS)
        counts = np.maximum(1, np.ceil(size / self.voxel)).astype(int)
        steps = np.stack(np.meshgrid(*[np.arange(n) + 0.5 for n in counts], indexing="ij"), -1).reshape(-1, 3)
        self.centres = (seed.low + steps * self.voxel) @ seed.axes
        self.places = list(pool.map(self._places, crops))
        self.widths = [self._width(crop) for crop in crops]

    def _places(self, crop: Crop) -> np.ndarray:
        """[N] int32: the voxels' pixels, row by row; -1 outside the crop."""
        inside, at = cells(crop, self.centres)
        found = np.full(len(self.centres), -1, np.int32)
        found[inside] = at[:, 1] * crop.shape[1] + at[:, 0]
        return found

    def _width(self, crop: Crop) -> int:
        """Pixels of a voxel, odd; 1 of a photograph whose camera is in the box."""
        depth = float(crop.view.seen(self.seed.centre[None])[0, 2])
        pair = crop.scale * crop.view.project(np.array([[0.0, 0, depth], [self.voxel, 0, depth]]))
        size = np.linalg.norm(pair[1] - pair[0])
        return int(np.ceil(size)) | 1 if np.isfinite(size) else 1

    def vote(self, masks: List[np.ndarray], weights: Optional[List[float]] = None) -> np.ndarray:
        """[N]: share of the photographs, of those that show the voxel, whose mask covers it; 0 where few show it. weights: of the
        photographs."""
        shown, covered = np.zeros(len(self.centres), np.float32), np.zeros(len(self.centres), np.float32)
        weights = [1.0] * len(masks) if weights is None else weights
        for places, mask, weight in zip(self.places, masks, weights):
            seen = places >= 0
            shown[seen] += weight
            covered += weight * np.append(mask.ravel(), False)[places]
        enough = shown >= max(min(2.0, sum(weights)), SHOWN * sum(weights))
        return np.where(enough, covered / np.maximum(shown, 1e-6), 0).astype(np.float32)

    def votes(self, number: int, shares: np.ndarray) -> np.ndarray:
        """[H,W] of a crop: the largest share of the voxels on each pixel's ray."""
        crop, places = self.crops[number], self.places[number]
        kept = (shares >= LOWEST) & (places >= 0)
        drawn = np.zeros(crop.shape, np.float32)
        np.maximum.at(drawn.reshape(-1), places[kept], shares[kept])
        width = self.widths[number] + 2
        return cv2.dilate(drawn, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width)))

    def above_ground(self, number: int, shares: np.ndarray) -> np.ndarray:
        """votes() without the lowest voxels, which hold the object's shadow, too. seed.ground is known."""
        above = self.seed.ground.height(self.centres) > SHADOW * self.voxel
        return self.votes(number, np.where(above, shares, 0))

    def _largest(self, covered: np.ndarray) -> Optional[np.ndarray]:
        """[N,3]: centres, along the box's axes, of the largest part of voxels."""
        covered = self.centres[covered]
        if len(covered) < 8:
            return None
        labels = components(covered, LINK * self.voxel)
        return covered[labels == np.bincount(labels).argmax()] @ self.seed.axes.T

    def tightened(self, shares: np.ndarray) -> Seed:
        """The seed with a box around the largest part of what most photographs cover: finer voxels."""
        seed, along = self.seed, self._largest(shares >= COVERED)
        if along is None:
            return seed
        margin = AROUND * np.ptp(along, axis=0) + 2 * self.voxel
        return _with_box(seed, np.maximum(seed.low, along.min(0) - margin), np.minimum(seed.high, along.max(0) + margin))

    def widened(self, shares: np.ndarray) -> Optional[Seed]:
        """The seed with a larger box where what most photographs frame and cover reaches its sides; None if it reaches none. Below, the
        ground is the end."""
        framed = sum((places >= 0).astype(np.int32) for places in self.places) >= FRAMED * len(self.places)
        seed, along = self.seed, self._largest((shares >= COVERED) & framed)
        if along is None:
            return None
        reached = [along.min(0) < seed.low + 2 * self.voxel, along.max(0) > seed.high - 2 * self.voxel]
        if seed.ground is not None:
            reached[0][2] = False
        if not np.any(reached):
            return None
        more = WIDER * (seed.high - seed.low)
        return _with_box(seed, seed.low - more * reached[0], seed.high + more * reached[1])


def _with_box(seed: Seed, low: np.ndarray, high: np.ndarray) -> Seed:
    return replace(seed, low=low, high=high, centre=(low + high) / 2 @ seed.axes, corners=box_corners(low, high, seed.axes))


def cells(crop: Crop, points: np.ndarray):
    """(which of the points [N,3] fall into the crop [N] bool, their (column, row) [M,2])."""
    pixels = crop.pixels(points)
    with np.errstate(invalid="ignore"):
        found = np.floor(pixels)
        inside = ((found >= 0) & (found < crop.shape[::-1])).all(1)
    return inside, found[inside].astype(int)
