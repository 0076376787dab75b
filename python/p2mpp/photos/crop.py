"""The part of a photograph around the object, at the size that masks are cut at."""

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from p2mpp.photos.pictures import read_picture
from p2mpp.photos.scene import View
from p2mpp.photos.seed import Seed

SIDE = 420  # pixels of the longer side of the object's box
AROUND = 0.25  # of the box's size, shown on each side
SMALLEST = 16  # pixels


@dataclass
class Crop:
    """view; scale: pixels of the crop for one of the photograph; (left, top): where the crop begins in the scaled photograph.
    whole: the scaled photograph, uint8 BGR. inside [H,W]: where the object's box projects. path: of the photograph."""

    view: View
    path: Path
    scale: float
    left: int
    top: int
    whole: np.ndarray
    inside: np.ndarray

    @property
    def shape(self):
        """(height, width)."""
        return self.inside.shape

    @property
    def colours(self) -> np.ndarray:
        """[H,W,3]: uint8 BGR."""
        return self.whole[self.top:self.top + self.shape[0], self.left:self.left + self.shape[1]]

    def pixels(self, points: np.ndarray) -> np.ndarray:
        """Of points [N,3] in the crop: [N,2], NaN behind the camera."""
        return self.view.pixels(points, self.scale) - (self.left, self.top)

    def moved(self, mask: np.ndarray, other: "Crop") -> np.ndarray:
        """A mask [H,W] bool of this crop, in another crop of the same photograph."""
        zoom = other.scale / self.scale
        shift = [zoom * (self.left + 0.5) - other.left - 0.5, zoom * (self.top + 0.5) - other.top - 0.5]
        matrix = np.array([[zoom, 0, shift[0]], [0, zoom, shift[1]]])
        return cv2.warpAffine(mask.astype(np.float32), matrix, other.shape[::-1]) > 0.5

    def rays(self) -> np.ndarray:
        """Directions [H*W,3] of the pixels' centres."""
        rows, columns = np.mgrid[0:self.shape[0], 0:self.shape[1]]
        return self.view.rays(np.column_stack([columns.ravel() + self.left + 0.5, rows.ravel() + self.top + 0.5]), self.scale)


def make_crop(view: View, seed: Seed, path: Path) -> "Crop | None":
    """None if the object's box is outside of the photograph."""
    size = np.array([view.width, view.height])
    if not np.isfinite(view.pixels(seed.centre[None])).all():
        return None
    corners = view.pixels(seed.corners)
    if not np.isfinite(corners).all():  # so near that the box reaches behind the camera
        corners = size * [[0, 0], [0, 1], [1, 0], [1, 1]]
    low, high = corners.min(0), corners.max(0)
    around = AROUND * (high - low)
    scale = min(1.0, SIDE / max(1.0, (np.minimum(high, size) - np.maximum(low, 0)).max()))
    first = np.floor(scale * np.clip(low - around, 0, size)).astype(int)
    last = np.ceil(scale * np.clip(high + around, 0, size)).astype(int)
    if ((last - first) < SMALLEST).any():
        return None
    whole = read_picture(path)
    if whole is None or whole.shape[:2] != (view.height, view.width):
        return None
    scaled = cv2.resize(whole, tuple(np.maximum(last, np.rint(scale * size).astype(int))), interpolation=cv2.INTER_AREA)
    crop = Crop(view, path, scale, int(first[0]), int(first[1]), scaled,
                np.zeros(tuple((last - first)[::-1]), bool))
    outline = cv2.convexHull(np.rint(scale * corners - first).astype(np.int32))
    crop.inside = cv2.fillConvexPoly(crop.inside.astype(np.uint8), outline, 1).astype(bool)
    return crop
